# frozen_string_literal: true

require "coppice/monitor/refork_condition"
require "coppice/monitor/steps"
require "coppice/monitor/width"

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
      BARREN = 3 # workers of an untried mold that failed in a row

      # How a candidate ends through no fault of its own: its worker died before it forked, or somebody killed it.
      KILLED = %i[never_forked vanished signal out_of_memory].freeze
      KILLED_IN_A_ROW = 3 # replacements of a lost mold that are asked for without a pause

      #: (untyped) -> void
      def initialize(settings)
        @settings = settings
        @width = Width.new(settings)
        @condition = ReforkCondition.for(settings)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return pursue(roster) if roster.candidate
        return replace_mold(roster, now) unless roster.mold
        return [Steps::Abandon.new(roster.mold, "none of its workers gets ready")] if barren?(roster)
        return [] if roster.rehearsal
        return [] unless now >= roster.refork_not_before && roster.settled? && (grounds = grounds(roster, now))

        worker = template(roster)
        worker ? [Steps::Promote.new(worker, roster.generation + 1, grounds)] : []
      end

      # The worker whose copy a refork makes the mold. One that served nobody is no warmer than the mold is, and would not be
      # worth replacing those that did.
      #: (Roster) -> Handle?
      def template(roster)
        served = roster.ready_workers.select { |worker| worker.requests_count.positive? }
        warmest(served.empty? ? roster.ready_workers : served)
      end

      private

      def pursue(roster)
        candidate = roster.candidate
        return [Steps::Abandon.new(candidate, "it ended before it was ready", at_once?(roster))] if candidate.gone? || candidate.leaving?
        return [] unless candidate.ready?
        return [Steps::Commit.new(candidate)] if roster.mold.nil? || roster.trial&.ready?
        return begin_trial(roster) unless roster.trial

        roster.trial.starting? ? [] : [Steps::Abandon.new(candidate, "its first worker never got ready")]
      end

      # The trial takes an empty slot, one in surge if there may be one; if there is none, one worker makes room: who is
      # beyond the wanted ones anyway, and nobody while somebody leaves already.
      def begin_trial(roster)
        slot = roster.empty_slots(beyond: @width.surge(roster)).first
        return [Steps::Spawn.new(roster.candidate, :worker, slot, true)] if slot
        return [] if roster.unavailable.positive? || roster.workers.any?(&:leaving?)

        [Steps::Retire.new(roster.ready_workers.min_by { |worker| [worker.nr < roster.target ? 1 : 0, worker.requests_count] })]
      end

      # Losing a mold is not losing the service: the generation stays what it is, so nobody is replaced for it. After a
      # promotion that failed by itself comes a cold boot. One that was killed says nothing against the next worker.
      def replace_mold(roster, now)
        return [] if now < roster.mold_not_before

        worker = warmest(roster.ready_workers) if roster.failed_replacements.even?
        [worker ? Steps::Promote.new(worker, roster.generation, { why: :mold_lost }) : Steps::ColdBoot.new(roster.generation)]
      end

      def at_once?(roster)
        roster.mold.nil? && roster.killed_replacements < KILLED_IN_A_ROW && KILLED.include?(roster.candidate.exit_report&.cause) &&
          !warmest(roster.ready_workers).nil?
      end

      # Of those that may be forked the one that served most. Of the committed generation first, since its parent was warm
      # already; then one that was not tried in vain, as it may be spoilt; then one that compiles, where others do not: what
      # they inherit is to be machine code.
      def warmest(workers)
        workers.select { |worker| worker.row.fork_safe? }
               .max_by { |worker| [worker.generation, -worker.promotions, worker.row.compiles, worker.requests_count, -worker.nr] }
      end

      # A worker that took a lost mold's place had no trial, and may be broken in a way that shows only in what is
      # forked from it. A cold mold is as good as the application is: there is nothing better to be had.
      def barren?(roster)
        return false if roster.mold.cold? || roster.failed_spawns < BARREN

        roster.ready_workers.none? { |worker| worker.forked_at >= roster.mold.ready_at }
      end

      def grounds(roster, now) = roster.refork_wanted ? { why: :asked } : @condition.grounds(roster, now)
    end
  end
end
