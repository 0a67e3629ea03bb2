# frozen_string_literal: true

module Coppice
  class Monitor
    # How often something failed in a row, and when to try it again (monotonic seconds).
    class Backoff
      FIRST_PAUSE = 0.1 # seconds, doubled with each further failure
      LONGEST_PAUSE = 5.0
      STEADY = 10.0 # seconds: what has been ready for so long has not failed to start

      # ready_at: when it became ready; nil if it never did.
      #: (Float?, Float) -> bool
      def self.steady?(ready_at, now) = !ready_at.nil? && now - ready_at >= STEADY

      attr_reader :failures   #: Integer -- in a row
      attr_reader :not_before #: Float

      def initialize
        @failures = 0
        @not_before = -Float::INFINITY
      end

      # One more failure. The pause doubles from one to the next unless it is given, in seconds.
      #: (Float, ?pause: Numeric) -> void
      def failed(now, pause: [FIRST_PAUSE * (2**@failures), LONGEST_PAUSE].min)
        @failures += 1
        @not_before = now + pause
      end

      # A process has exited without being told to. The exit of one that was steady is the first failure in a row.
      #: (Float?, Float) -> void
      def exited(ready_at, now)
        succeeded if self.class.steady?(ready_at, now)
        failed(now)
      end

      # A pause that is no failure of what is tried, unless there is a longer one.
      #: (Float) -> void
      def wait_until(time) = @not_before = [@not_before, time].max

      # From now on it may be tried.
      #: () -> void
      def end_pause = @not_before = -Float::INFINITY

      #: (Float) -> bool
      def over?(now) = now >= @not_before

      #: () -> void
      def succeeded
        @failures = 0
      end
    end
  end
end
