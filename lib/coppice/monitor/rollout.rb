# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/width"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides which workers of an older generation leave next: no more than there are
    # successors in surge, and `refork_max_unavailable` on top.
    class Rollout
      #: (untyped) -> void
      def initialize(settings)
        @width = Width.new(settings)
      end

      # The least warm go first: they gain most. None while a candidate is on trial,
      # and none without a mold that can fork their successors.
      #: (Roster, Float) -> Array[Step]
      def next(roster, _now)
        return [] if roster.candidate || roster.rehearsal || !roster.mold&.ready?

        leaving = coldest(roster).first(room(roster))
        leaving.unshift(roster.service) if outdated_service?(roster)
        leaving.map { |handle| Steps::Retire.new(handle) }
      end

      private

      def coldest(roster) = roster.outdated_workers.sort_by { |worker| [worker.generation, worker.requests_count] }

      def outdated_service?(roster)
        roster.service&.ready? && roster.service.generation != roster.generation
      end

      def room(roster)
        surplus = roster.ready_workers.size - roster.target
        [@width.max_unavailable(roster) + surplus, 0].max
      end
    end
  end
end
