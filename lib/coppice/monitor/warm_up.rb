# frozen_string_literal: true

require "coppice/monitor/steps"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides how a cold mold is warmed up before anybody else is forked from it: its first worker, which no client can
    # reach, is promoted. What was learned of the application on the way may call for another cold mold, once.
    class WarmUp
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.rehearsal && roster.mold&.ready? && roster.candidate.nil?
        return begin_rehearsal(roster, now) if roster.rehearsal == :due
        return [] unless roster.rehearsed?
        return give_up(roster.rehearsal) unless roster.rehearsal.row.fork_safe?
        return [Steps::Refit.new(roster.rehearsal)] if worth_refitting?(roster)

        [Steps::Promote.new(roster.rehearsal, roster.generation + 1, { why: :warmed_up })]
      end

      private

      def give_up(rehearsal)
        [Steps::Warn.new("the warmed-up worker is not fork safe: workers are forked from the cold mold", rehearsal.to_log),
         Steps::Retire.new(rehearsal)]
      end

      # Beside workers that serve, a second boot would only be put off.
      def worth_refitting?(roster) = roster.unfitted && !roster.serving? && !roster.rehearsal.row.allocations.empty?

      def begin_rehearsal(roster, now)
        now < roster.spawn_not_before ? [] : [Steps::Rehearse.new(roster.mold, roster.spare_slot)]
      end
    end
  end
end
