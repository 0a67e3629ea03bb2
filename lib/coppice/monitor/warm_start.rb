# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides how a cold mold is warmed up before it forks workers that serve: its first worker, which gets no clients,
    # is rehearsed and then promoted. What the rehearsal measures may call for booting the application again, once.
    class WarmStart
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.rehearsing? && roster.mold&.ready? && roster.candidate.nil?
        return begin_rehearsal(roster, now) if roster.rehearsal_due

        worker = roster.rehearsal
        return [] unless worker.ready?
        return give_up(worker) unless worker.row.fork_safe?
        return [Steps::Refit.new(worker)] if worth_refitting?(roster, worker)

        [Steps::Promote.new(worker, roster.generation + 1, { why: :warmed_up })]
      end

      private

      def give_up(worker)
        [Steps::Warn.new("the warmed-up worker is not fork safe: workers are forked from the cold mold", worker.to_log),
         Steps::Retire.new(worker)]
      end

      # Beside workers that serve, a second boot would only delay the new generation.
      def worth_refitting?(roster, worker) = roster.gc_unmeasured && !roster.serving? && !worker.row.allocations.empty?

      def begin_rehearsal(roster, now)
        roster.spawns.over?(now) ? [Steps::Rehearse.new(roster.mold, roster.spare_slot)] : []
      end
    end
  end
end
