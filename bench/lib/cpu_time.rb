# frozen_string_literal: true

module Bench
  # CPU time of processes in user space and in the kernel, and the kernel's part of it.
  CpuTime = Struct.new(:seconds, :kernel_seconds) do
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
