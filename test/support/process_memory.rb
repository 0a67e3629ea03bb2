# frozen_string_literal: true

# What a process uses, in KiB, as the kernel counts it.
module ProcessMemory
  class << self
    # What nobody shares with it.
    #: (Integer) -> Integer
    def private_kib(pid) = File.read("/proc/#{pid}/smaps_rollup").scan(/^Private_\w+:\s+(\d+)/).sum { |(kib)| kib.to_i }

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
