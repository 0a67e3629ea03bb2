# frozen_string_literal: true

# The children of a process, as the kernel lists them.
module ChildProcesses
  # Of all its threads: it may have forked in any of them, and adopts orphans in any. When a thread ends, its children
  # are another one's. pid: or "self".
  #: (Integer | String) -> Array[Integer]
  def self.of(pid)
    Dir.glob("/proc/#{pid}/task/*/children").flat_map do |file|
      File.read(file).split.map(&:to_i)
    rescue Errno::ENOENT, Errno::ESRCH # the thread has ended
      []
    end
  end
end
