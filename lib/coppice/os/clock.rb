# frozen_string_literal: true

module Coppice
  module OS
    # The monotonic clock, which neither the administrator nor a suspend moves. It is the same for all processes of a
    # machine, so they can share deadlines.
    module Clock
      # Ruby's own, before a library that lets applications travel in time (Timecop) puts another one in its place.
      GETTIME = Process.method(:clock_gettime)
      private_constant :GETTIME

      #: () -> Float seconds
      def self.now = GETTIME.call(Process::CLOCK_MONOTONIC)

      #: () -> Integer milliseconds
      def self.now_ms = GETTIME.call(Process::CLOCK_MONOTONIC, :millisecond)
    end
  end
end
