# frozen_string_literal: true

module Coppice
  module OS
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

      # Returns whether it may be done now. Once it may, the pause begins.
      #: (Float) -> bool
      def claim(now)
        return false if now < @next_at

        @next_at = now + @pause
        true
      end
    end
  end
end
