# frozen_string_literal: true

require "coppice/monitor/rollout_budget"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides which outdated workers exit next: as many as there are surplus workers, and `refork_max_unavailable` more.
    class Rollout
      #: (Config::Settings) -> void
      def initialize(settings)
        @budget = RolloutBudget.new(settings)
      end

      # The least warm workers exit first: replacing them gains most. None exits while a candidate is on trial, and none
      # without a mold that can fork their successors.
      #: (Roster, Float) -> Array[Step]
      def next(roster, _now)
        return [] if roster.candidate || roster.rehearsing? || !roster.mold&.ready?

        coldest(roster, room(roster)).map { |worker| Steps::Retire.new(worker) }
      end

      private

      def coldest(roster, count)
        return [] if count.zero?

        roster.outdated_workers.min_by(count) { |worker| [worker.generation, worker.requests_count] }
      end

      def room(roster)
        surplus = roster.ready_workers.size - roster.target
        [@budget.max_unavailable(roster) + surplus, 0].max
      end
    end
  end
end
