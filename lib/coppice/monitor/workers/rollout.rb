# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/workers/rollout_budget"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides which outdated workers exit next: as many as there are surplus workers, and `refork_max_unavailable` more.
    class Rollout
      SORT_PAUSE = 1.0 # seconds

      #: (Config::Settings) -> void
      def initialize(settings)
        @budget = RolloutBudget.new(settings)
        @coldest_first = []
        @sorting = OS::Throttle.new(SORT_PAUSE)
      end

      # The least warm workers exit first: replacing them gains most. None exits while a candidate is on trial, and none
      # without a mold that can fork their successors.
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] if roster.candidate || roster.rehearsing? || !roster.mold&.ready?

        coldest(roster, room(roster), now).map { |worker| Steps::Retire.new(worker) }
      end

      private

      # They are sorted once in a while, not for each one that exits: there may be a thousand.
      def coldest(roster, count, now)
        return [] if count.zero? || roster.outdated_workers.empty?

        sort(roster) if @sorting.claim(now)
        chosen = take(roster, count)
        return chosen if chosen.size == count

        sort(roster)
        chosen | take(roster, count)
      end

      def sort(roster)
        @coldest_first = roster.outdated_workers.sort_by { |worker| [worker.generation, worker.requests_count] }
      end

      def take(roster, count)
        chosen = []
        while chosen.size < count && (worker = @coldest_first.shift)
          chosen << worker if roster.outdated?(worker)
        end
        chosen
      end

      def room(roster)
        surplus = roster.ready_workers.size - roster.signalled_workers.size - roster.target
        [@budget.max_unavailable(roster) + surplus, 0].max
      end
    end
  end
end
