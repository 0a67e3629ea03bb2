# frozen_string_literal: true

module Coppice
  class Monitor
    # Finds time in which the monitor should have run and did not: the machine slept, its cgroup was frozen, or a signal
    # stopped the whole tree. Most likely its children did not run either, so such time must not count against them.
    class MissedTime
      LONGEST_TURN = 5.0 # seconds between two looks; the monitor's loop looks each second

      # Gives every child so many more seconds for what it has to do, and all of them so many more for a stop.
      #: (Roster, Float) -> void
      def self.make_up(roster, seconds)
        [*roster.handles, roster.stop].each { |late| late.postpone(seconds) }
      end

      # Seconds that were missed since the last look; 0.0 when the monitor ran, and at the first look. Seconds of the
      # monotonic clock.
      #: (Float) -> Float
      def since_last_look(now)
        passed = now - (@looked_at || now)
        @looked_at = now
        passed < LONGEST_TURN ? 0.0 : passed
      end
    end
  end
end
