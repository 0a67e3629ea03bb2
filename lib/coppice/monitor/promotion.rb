# frozen_string_literal: true

require "coppice/monitor/refork_condition"
require "coppice/monitor/rollout_budget"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides about molds: when the warmest worker is promoted, when the candidate is committed or abandoned, and how a
    # lost mold is replaced. One promotion at a time.
    #
    # A candidate that would replace a working mold must prove itself first: one worker is forked from it, the trial,
    # and only when that worker is ready is the candidate committed. With no mold to lose there is nothing to wait for.
    class Promotion
      FAILED_WORKERS = 3 # in a row, of a mold that had no trial

      # How a candidate ends through no fault of its own: its worker died before it forked, or it was killed.
      KILLED = %i[never_forked vanished signal out_of_memory].freeze
      KILLED_IN_A_ROW = 3 # replacements of a lost mold that are asked for without a pause

      #: (Config::Settings) -> void
      def initialize(settings)
        @budget = RolloutBudget.new(settings)
        @condition = ReforkCondition.for(settings)
        @warm_up = settings.warm_up?
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return advance_candidate(roster) if roster.candidate
        return replace_mold(roster, now) unless roster.mold
        return abandon(roster, roster.mold, "none of its workers gets ready") if unable_to_fork?(roster)
        return [] if roster.rehearsing?
        return [] unless roster.reforks.over?(now) && roster.settled? && (grounds = grounds(roster, now))

        worker = template(roster)
        worker ? [Steps::Promote.new(worker, roster.generation + 1, grounds)] : []
      end

      # The worker whose copy a refork makes the mold. A worker that served nobody is no warmer than the mold, and not
      # worth replacing workers that did.
      #: (Roster) -> Handle?
      def template(roster)
        served = roster.ready_workers.select { |worker| worker.requests_count.positive? }
        warmest(served.empty? ? roster.ready_workers : served)
      end

      private

      def advance_candidate(roster)
        candidate = roster.candidate
        return abandon(roster, candidate, "it exited before it was ready") if candidate.gone? || candidate.leaving?
        return [] unless candidate.ready?
        return [commit(candidate)] if roster.mold.nil? || roster.trial&.ready?
        return begin_trial(roster) unless roster.trial

        roster.trial.starting? ? [] : abandon(roster, candidate, "its first worker never got ready")
      end

      def commit(candidate) = Steps::Commit.new(candidate, candidate.cold? && @warm_up)

      # A boot that fails at the start of the server is final.
      def abandon(roster, mold, reason)
        steps = [Steps::Abandon.new(mold, reason, killed?(roster, mold))]
        roster.booted? ? steps : steps << Steps::GiveUp.new("the application could not be booted")
      end

      # The trial takes an empty slot, or a surplus slot if the budget has one. Otherwise one worker is retired for it:
      # a surplus worker if there is one, and none while another is leaving.
      def begin_trial(roster)
        slot = roster.empty_slots(beyond: @budget.surge(roster)).first
        return [Steps::Spawn.new(roster.candidate, :worker, slot, true)] if slot
        return [] if roster.unavailable.positive? || roster.workers.any?(&:leaving?)

        least = roster.ready_workers.min_by { |worker| [worker.nr < roster.target ? 1 : 0, worker.requests_count] }
        [Steps::Retire.new(least)]
      end

      # A lost mold costs no service: the generation stays, and no worker is replaced for it. After a promotion that
      # failed by itself comes a cold boot. A candidate that was killed says nothing against the next worker.
      def replace_mold(roster, now)
        return [] unless roster.replacements.over?(now)

        worker = warmest(roster.ready_workers) if roster.replacements.failures.even?
        return [Steps::ColdBoot.new(roster.generation)] unless worker

        [Steps::Promote.new(worker, roster.generation, { why: :mold_lost })]
      end

      # Whether a lost mold's replacement was killed, and another warm worker can be asked.
      def killed?(roster, candidate)
        return false if roster.mold || roster.killed_replacements >= KILLED_IN_A_ROW

        KILLED.include?(candidate.exit_report&.cause) && !warmest(roster.ready_workers).nil?
      end

      # Of the fork-safe workers the one that served most. Workers of the committed generation come first, since their
      # parent was warm already; then those that were not promoted in vain, since they may be broken; then those that
      # compile where others do not, so that what the copies inherit is machine code.
      def warmest(workers)
        workers.select { |worker| worker.row.fork_safe? }.max_by do |worker|
          [worker.generation, -worker.promotions, worker.row.compiles, worker.requests_count, -worker.nr]
        end
      end

      # A worker's copy that replaced a lost mold had no trial, and may be broken in a way that shows only in its
      # children. A cold mold is as good as the application: nothing better can be had.
      def unable_to_fork?(roster)
        return false if roster.mold.cold? || roster.spawns.failures < FAILED_WORKERS

        roster.ready_workers.none? { |worker| worker.forked_at >= roster.mold.ready_at }
      end

      def grounds(roster, now) = roster.refork_wanted ? { why: :asked } : @condition.grounds(roster, now)
    end
  end
end
