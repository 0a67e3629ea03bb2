# frozen_string_literal: true

# The open descriptors of another process, as /proc shows them: for tests of where they lead, or of how many there are.
module ProcessDescriptors
  # Where each of them leads, by its number. One that is closed meanwhile is left out.
  #: (Integer) -> Hash[String, String]
  def self.of(pid)
    Dir.children("/proc/#{pid}/fd").each_with_object({}) do |number, links|
      links[number] = File.readlink("/proc/#{pid}/fd/#{number}")
    rescue Errno::ENOENT
      next
    end
  end

  # Where they lead.
  #: (Integer) -> Array[String]
  def self.links(pid) = of(pid).values

  # What the block answers if all threads of the process have slept meanwhile; else nil. So what the process has open
  # for a moment only does not count, even if it is preempted in that moment.
  #: [T] (Integer) { () -> T } -> T?
  def self.at_rest(pid)
    before = rest_of(pid)
    answer = yield
    answer if before && before == rest_of(pid)
  rescue Errno::ENOENT, Errno::ESRCH # a thread has ended
    nil
  end

  # How often each thread has been switched to; nil unless all of them sleep.
  def self.rest_of(pid)
    threads = Dir.glob("/proc/#{pid}/task/*/status").map { |file| File.read(file) }
    threads.map { |text| text.scan(/^\w+_ctxt_switches:.*/) } if threads.all?(/^State:\s+S/)
  end
  private_class_method :rest_of
end
