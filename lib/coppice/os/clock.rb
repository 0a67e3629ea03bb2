# frozen_string_literal: true

module Coppice
  module OS
    # The monotonic clock, which neither the administrator nor a suspend moves. It is the same for all processes of a
    # machine, so they can share deadlines.
    module Clock
      #: () -> Float seconds
      def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

      #: () -> Integer milliseconds
      def self.now_ms = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
    end
  end
end
