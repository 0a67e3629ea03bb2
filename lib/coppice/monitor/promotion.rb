# frozen_string_literal: true

require "coppice/monitor/steps"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides about molds: when the warmest worker becomes one, when it is committed,
    # when it is given up, and how a lost one is replaced. One promotion at a time.
    #
    # A candidate that would replace a working mold must prove itself first: one
    # worker is forked from it, the trial, and only when that one is ready is the
    # candidate committed. With no mold to lose there is nothing to wait for.
    class Promotion
      #: (untyped) -> void
      def initialize(settings)
        @refork_after = settings.refork_after
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return pursue(roster) if roster.candidate
        return [] if now < roster.not_before && !roster.refork_wanted
        return replace_mold(roster) unless roster.mold
        return [] unless roster.settled? && wanted?(roster)

        worker = warmest(roster)
        worker ? [Steps::Promote.new(worker, roster.generation + 1)] : []
      end

      # The most warmed-up worker that may be forked: the one that served most. Of the
      # committed generation first, since its parent was warm already.
      #: (Roster) -> Handle?
      def warmest(roster)
        roster.ready_workers.select { |worker| worker.row.fork_safe? }
              .max_by { |worker| [worker.generation, worker.requests_count, -worker.nr] }
      end

      private

      def pursue(roster)
        candidate = roster.candidate
        return [Steps::Abandon.new(candidate, "it ended before it was ready")] if candidate.gone? || candidate.leaving?
        return [] unless candidate.ready?
        return [Steps::Commit.new(candidate)] if roster.mold.nil? || roster.trial&.ready?
        return [] if roster.trial

        roster.trial_lost ? [Steps::Abandon.new(candidate, "its first worker never got ready")] : begin_trial(roster)
      end

      # The trial takes an empty slot; if there is none, one worker makes room.
      def begin_trial(roster)
        slot = roster.empty_slots.first
        return [Steps::Spawn.new(roster.candidate, :worker, slot, true)] if slot
        return [] if roster.unavailable.positive?

        [Steps::Retire.new(roster.ready_workers.min_by(&:requests_count))]
      end

      # Losing a mold is not losing the service: the generation stays what it is, so
      # nobody is replaced for it. A second try after a failed promotion is a cold boot.
      def replace_mold(roster)
        worker = warmest(roster) if roster.failed_molds.even?
        [worker ? Steps::Promote.new(worker, roster.generation) : Steps::ColdBoot.new(roster.generation)]
      end

      def wanted?(roster)
        return true if roster.refork_wanted

        limit = request_limit(roster.generation)
        limit && roster.ready_workers.any? { |worker| worker.requests_count >= limit }
      end

      # A list of limits, one for each generation; the last one repeats; false ends it.
      def request_limit(generation)
        return unless @refork_after

        @refork_after.fetch(generation) { @refork_after.last }
      end
    end
  end
end
