# frozen_string_literal: true

# What a process uses, in KiB, as the kernel counts it.
module ProcessMemory
  MAPPING = /^(?=\h+-\h+ )/.freeze
  # The kernel calls shared memory without a name /dev/zero.
  UNNAMED = %r{\A(?:\S+ +){4}\S+ *(?:$|\[heap\]|\[stack\]|\[anon|/dev/zero )}.freeze
  private_constant :MAPPING, :UNNAMED

  class << self
    # What it has in memory that no file names: heap, stack, and what it shares with its parents and successors. What it
    # shares with others in memory files is not among it, nor is its program.
    #: (Integer) -> Integer
    def unnamed_kib(pid)
      File.read("/proc/#{pid}/smaps").split(MAPPING).grep(UNNAMED).sum { |text| Integer(text[/^Rss:\s+(\d+)/, 1]) }
    end

    # What it has in shared memory, with a name and without.
    #: (Integer) -> Integer
    def shared_kib(pid) = status_kib(pid, "RssShmem")

    # By how much a process was larger, at its largest moment while the block ran, than before.
    #: (Integer) { () -> void } -> Integer
    def growth_kib(pid)
      File.write("/proc/#{pid}/clear_refs", "5") # the peak begins anew
      before = status_kib(pid, "VmRSS")
      yield
      status_kib(pid, "VmHWM") - before
    end

    private

    def status_kib(pid, name) = Integer(File.read("/proc/#{pid}/status")[/^#{name}:\s+(\d+)/, 1])
  end
end
