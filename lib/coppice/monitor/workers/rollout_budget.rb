# frozen_string_literal: true

require "coppice/config/types/amounts"

module Coppice
  class Monitor
    # How many workers may exist beyond the target, and how many may be missing, while one generation replaces another.
    # With a surge the successors are ready before any worker exits, so that capacity does not dip. Surplus workers own
    # slots beyond the target, and exit at the end. There are no more of them than the memory that is left has room for.
    class RolloutBudget
      FAILED_FORKS = 3 # in a row: the machine may have no memory for a surplus worker

      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      # Number of workers that may exist beyond the target.
      #: (Roster) -> Integer
      def surge(roster)
        return 0 if roster.spawns.failures + roster.succession.killed_trials >= FAILED_FORKS

        [Config::Types::WorkerShare.of(@settings.refork_surge, roster.target), room(roster)].min
      end

      # Number of wanted workers that may be missing because the monitor chose so.
      #: (Roster) -> Integer
      def max_unavailable(roster)
        return @settings.refork_max_unavailable if @settings.refork_max_unavailable
        return 0 unless surge(roster).zero?

        Config::Types::WorkerShare.of("10%", roster.target)
      end

      private

      # A surplus worker is small at first. It soon has as much memory of its own as the others.
      def room(roster)
        return roster.target if roster.headroom.left.nil? || roster.headroom.largest_worker.zero?

        roster.headroom.left / roster.headroom.largest_worker
      end
    end
  end
end
