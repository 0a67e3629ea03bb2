# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides how a cold mold is warmed up. Beside the first worker that serves, one that gets no clients is rehearsed,
    # then promoted: its mold forks all others. The rehearsal also measures allocations. With `gc_profile :fitted, wait:
    # true`, and if they were not known, the application boots once more with parameters that fit this measurement. With
    # `warm_up_requests …, wait: true` no worker serves beside it when the server starts.
    class WarmStart
      # Whether nobody can connect before the warm-up is over: at the start of a server, where the user waits for it.
      #: (Roster) -> bool
      def self.before_clients?(roster)
        !roster.listening && (roster.succession.gc_unmeasured || roster.settings.warm_up_wait)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.rehearsing? && roster.mold&.ready? && roster.candidate.nil?
        return start_rehearsal(roster, now) if roster.rehearsal_due

        worker = roster.rehearsal
        return [] unless worker.ready?
        return skip_promotion(worker) unless worker.row.fork_safe?
        return [Steps::BootWithMeasuredGC.new] if worth_second_boot?(roster, worker)

        [Steps::Promote.new(worker, roster.next_generation, { why: :warmed_up })]
      end

      private

      def skip_promotion(worker)
        [Steps::Warn.new("the warmed-up worker is not fork safe: workers are forked from the cold mold", worker.to_log),
         Steps::Retire.new(worker)]
      end

      # While workers serve already, a second boot would only delay the new generation.
      def worth_second_boot?(roster, worker)
        roster.succession.gc_unmeasured && !roster.serving? && !worker.row.allocations.empty?
      end

      # The first worker that serves comes first.
      def start_rehearsal(roster, now)
        return [] unless roster.serving? || self.class.before_clients?(roster)

        roster.spawns.over?(now) ? [Steps::Rehearse.new(roster.mold, roster.spare_slot)] : []
      end
    end
  end
end
