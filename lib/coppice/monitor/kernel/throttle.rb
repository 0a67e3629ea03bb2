# frozen_string_literal: true

module Coppice
  class Monitor
    # Lets something be done only so often. A server of many workers has hundreds of turns a second while they are
    # replaced, and what looks at all of them need not look in each.
    class Throttle
      # pause: seconds between two times.
      #: (Numeric) -> void
      def initialize(pause)
        @pause = pause
        @next_at = -Float::INFINITY
      end

      # From when on it may be done again (monotonic seconds).
      attr_reader :next_at #: Float

      # Whether it may be done now; once it may, not again before the pause is over.
      #: (Float) -> bool
      def pass?(now)
        return false if now < @next_at

        @next_at = now + @pause
        true
      end
    end
  end
end
