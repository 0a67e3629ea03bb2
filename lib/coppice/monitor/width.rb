# frozen_string_literal: true

require "coppice/config/types/share"

# Runs in the monitor.

module Coppice
  class Monitor
    # How many workers may be too many, and how many too few, while one generation replaces another. With a surge the
    # successors are ready before anybody leaves, so that capacity never dips; workers beyond the wanted ones live in
    # slots beyond the wanted ones, and leave at the end.
    class Width
      FUTILE = 3 # forks that failed in a row: there may be no room on the machine for one more

      #: (untyped) -> void
      def initialize(settings)
        @settings = settings
      end

      # Workers that may be there beyond those wanted.
      #: (Roster) -> Integer
      def surge(roster)
        roster.failed_spawns + roster.crowded_trials >= FUTILE ? 0 : Config::Types::Share.of(@settings.refork_surge, roster.target)
      end

      # Workers that may be away by our own choice.
      #: (Roster) -> Integer
      def max_unavailable(roster)
        @settings.refork_max_unavailable || (surge(roster).zero? ? Config::Types::Share.of("10%", roster.target) : 0)
      end
    end
  end
end
