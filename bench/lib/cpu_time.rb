# frozen_string_literal: true

module Bench
  # CPU time that processes have spent in user space and in the kernel; the kernel's part of it.
  CpuTime = Struct.new(:seconds, :kernel_seconds) do
    #: (CpuTime) -> CpuTime
    def +(other) = self.class.new(seconds + other.seconds, kernel_seconds + other.kernel_seconds)

    #: (CpuTime) -> CpuTime
    def -(other) = self.class.new(seconds - other.seconds, kernel_seconds - other.kernel_seconds)

    #: () -> Float? nil where there was none
    def kernel_percent = (100 * kernel_seconds / seconds if seconds.positive?)

    #: (CpuTime) -> Float?
    def percent_of(whole) = (100 * seconds / whole.seconds if whole.seconds.positive?)
  end
end
