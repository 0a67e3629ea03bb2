# frozen_string_literal: true

module Bench
  # CPU time of processes in user space and in the kernel, and the kernel's part of it.
  CpuTime = Struct.new(:seconds, :kernel_seconds) do
    # Milliseconds of all threads of a process. Exact to nanoseconds, unlike the ticks of /proc/PID/stat.
    #: (Integer) -> Float
    def self.ms_of(pid)
      Dir.glob("/proc/#{pid}/task/*/schedstat").sum { |path| File.read(path).to_i } / 1_000_000.0
    end

    # How much of a core each of these processes uses during the next seconds, in percent.
    #: (Array[Integer], Numeric) -> Array[Float]
    def self.core_percents(pids, seconds)
      before = pids.map { |pid| ms_of(pid) }
      sleep seconds
      pids.zip(before).map { |pid, ms| (ms_of(pid) - ms) / seconds / 10 }
    end

    #: (CpuTime) -> CpuTime
    def +(other) = self.class.new(seconds + other.seconds, kernel_seconds + other.kernel_seconds)

    #: (CpuTime) -> CpuTime
    def -(other) = self.class.new(seconds - other.seconds, kernel_seconds - other.kernel_seconds)

    #: () -> Float? nil if no time was spent
    def kernel_percent = (100 * kernel_seconds / seconds if seconds.positive?)

    #: (CpuTime) -> Float?
    def percent_of(whole) = (100 * seconds / whole.seconds if whole.seconds.positive?)
  end
end
