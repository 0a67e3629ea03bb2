# frozen_string_literal: true

require "coppice/monitor/molds/mold_demand"
require "coppice/monitor/molds/refork_condition/payback"
require "coppice/monitor/molds/refork_condition/request_count"
require "coppice/monitor/workers/rollout_budget"
require "coppice/monitor/steps"
require "coppice/monitor/molds/trial_watch"

module Coppice
  class Monitor
    # Decides about molds: when the warmest worker is promoted, when the candidate is committed or abandoned, and how a
    # lost mold is replaced. There is one promotion at a time.
    #
    # A candidate that would replace a working mold must prove first that it can fork: one worker is forked from it, the
    # trial, and serves clients beside the others until it is judged. If there is no mold to lose, no trial is needed,
    # unless the candidate is of another release. With `keep_mold false` there is none most of the time.
    class Promotion
      FAILED_WORKERS = 3 # workers in a row that fail before a mold without a trial is abandoned

      # Causes of an exit that say nothing about the candidate itself: its worker died before the fork, or somebody
      # killed the candidate.
      KILLED = %i[never_forked vanished signal out_of_memory].freeze
      KILLED_IN_A_ROW = 3 # killed replacements of a lost mold until the next one has to wait

      WARM_REQUESTS = 25 # of one worker: most of what it makes at first is there, and not much of it has to be shared

      # baseline: returns what the running release has counted so far.
      #: (Config::Settings, ?baseline: ^() -> Canary::Counts) -> void
      def initialize(settings, baseline: -> { Canary::Counts::NONE })
        @baseline = baseline
        @budget = RolloutBudget.new(settings)
        @condition = refork_condition(settings)
        @grows = settings.elastic? && !settings.refork_after.nil?
        @demand = MoldDemand.new(settings)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return advance_candidate(roster, now) if roster.candidate
        return replace_mold(roster, now) if roster.mold.nil? && @demand.any?(roster)
        return abandon(roster, roster.mold, "none of its workers became ready") if unable_to_fork?(roster)
        return [] if roster.rehearsing?
        return [] unless roster.reforks.over?(now) && roster.settled?

        refork(roster, now)
      end

      # The worker whose copy becomes the mold at a refork. A worker that has served no request is no warmer than the
      # mold, so one that has served is preferred, and waited for; but not one that has failed to fork a mold before.
      # Where one is kept for this, it is that one.
      #: (Roster) -> Handle?
      def template(roster)
        workers = workers_of_release(roster)
        untried = workers.select { |worker| worker.promotions.zero? }
        served = untried.select { |worker| worker.requests_count.positive? }
        return roster.heir.worker if served.include?(roster.heir.worker)

        warmest(served.empty? || untried.none? { |worker| worker.row.fork_safe? } ? workers : served)
      end

      # Whether a refork has to wait for such a worker: one is fork-safe, and has served no request yet.
      #: (Roster) -> bool
      def awaits_template?(roster) = template(roster).nil? && !no_template?(roster)

      # What the trial has counted; nil while there is none that serves clients.
      #: (Roster) -> Canary::Counts?
      def counts_of_trial(roster) = (@watch.counts if roster.trial&.ready? && @watch&.of?(roster.trial))

      # What the refork condition weighs at this moment, as values of the board's ledger; nil if it weighs nothing.
      #: (Float) -> Hash[Symbol, Integer]?
      def ledger(now) = @condition.ledger(now)

      private

      # When the server starts a refork without being asked. `reason_fields` returns the reason for one at this moment
      # as fields of a log line, or nil if there is none: it is called only while a refork could start.
      def refork_condition(settings)
        return ReforkCondition::RequestCount.new(settings) unless settings.refork_after == :auto

        ReforkCondition::Payback.new(price: settings.memory_price)
      end

      def refork(roster, now)
        reason_fields = { why: :asked } if roster.succession.asked
        reason_fields ||= @condition.reason_fields(roster, now) || warm_first(roster)
        worker = template(roster) if reason_fields
        return [Steps::Promote.new(worker, roster.next_generation, reason_fields)] if worker

        in_vain = roster.succession.asked && no_template?(roster)
        in_vain ? [Steps::GiveUpRefork.new("no worker is fork-safe")] : []
      end

      # Workers that are added while requests wait are to be warm, so the mold is before it has to fork them. It costs
      # little while there are few workers.
      def warm_first(roster)
        return unless @grows && roster.mold&.cold?

        { why: :warmed_up } if template(roster)&.requests_count.to_i >= WARM_REQUESTS
      end

      def advance_candidate(roster, now)
        candidate = roster.candidate
        return abandon(roster, candidate, early_exit(candidate)) if candidate.gone? || candidate.leaving?
        return [] unless candidate.ready?
        return [commit(roster, candidate)] if roster.mold.nil? && roster.of_release?(candidate)

        roster.trial ? advance_trial(roster, roster.trial, now) : start_trial(roster)
      end

      def advance_trial(roster, trial, now)
        return judge(roster, roster.candidate, now) if trial.ready?
        return [] if trial.starting? || (in_warm_up?(trial) && !trial.gone?)
        return try_without_warm_up(roster, trial) if ended_in_warm_up?(trial)

        abandon(roster, roster.candidate, end_of_trial(trial))
      end

      # A release can be served without its warm-up, as at the start of the server. But a hook that fails would fail
      # again, and pages that do not fit into the memory would not fit with clients either.
      def ended_in_warm_up?(trial)
        in_warm_up?(trial) && !trial.forked_at.nil? && trial.failure.nil? &&
          trial.exit_report&.cause != :out_of_memory
      end

      # Whether its warm-up is not over, or was not when it exited.
      def in_warm_up?(trial) = trial.warms_up? && trial.ready_at.nil?

      def try_without_warm_up(roster, trial)
        steps = start_trial(roster)
        return steps unless steps.any?(Steps::SpawnWorker)

        [*steps, Steps::Warn.new("the new release's first worker ended in its warm-up: another starts without",
          trial.to_log)]
      end

      def early_exit(candidate) = "it exited before it was ready: #{end_of(candidate) || 'the log says why'}"

      def end_of_trial(trial)
        why = end_of(trial)
        return "its first worker did not become ready#{": #{why}" if why}" unless trial.ready_at

        "its first worker exited while it was on trial (#{trial.exit_report&.cause || :asked})"
      end

      # One that was told to exit, or killed, has no report yet.
      def end_of(child)
        killed = "killed (#{child.kill_reason}), as the log says" if child.kill_reason
        child.exit_report&.summary || child.failure&.error || killed
      end

      def judge(roster, candidate, now)
        if refused?(roster, candidate)
          reason = "fork audit: #{roster.trial.audit_findings} found, as the log says"
          return [Steps::Abandon.new(candidate: candidate, reason: reason, refused: true)]
        end
        return [commit(roster, candidate)] unless watched?(roster, candidate)

        decide(roster, candidate, verdict(roster, now))
      end

      # A cold candidate of the same release is what the application makes it: refusing it would only boot the same
      # again.
      def refused?(roster, candidate)
        return false unless candidate.release.settings.fork_audit == :refuse && roster.trial.audit_findings.positive?

        !candidate.cold? || !roster.of_release?(candidate)
      end

      # What a rollback goes back to has served before.
      def watched?(roster, candidate)
        others = TrialWatch.others(roster)
        return false if !candidate.release.settings.canary || others.empty?
        return false if roster.rehearsing? && others.none? { |worker| roster.outdated?(worker) } # the server starts

        roster.of_release?(candidate) || !roster.roll.rollback?
      end

      def verdict(roster, now)
        @watch = TrialWatch.new(roster, now, baseline: @baseline.call) unless @watch&.of?(roster.trial)
        @watch.verdict(now)
      end

      def decide(roster, candidate, verdict)
        return [] unless verdict
        return [commit(roster, candidate, verdict)] if verdict.commit?

        [Steps::Abandon.new(candidate: candidate, reason: "canary: #{verdict.reason}", verdict: verdict)]
      end

      # One that takes the place of a cold mold which was lost is as cold.
      def commit(roster, candidate, verdict = nil)
        cold = candidate.cold? || (roster.rehearsing? && candidate.generation == roster.generation)
        Steps::Commit.new(candidate, cold && candidate.release.settings.warm_up?, verdict)
      end

      # If the first boot fails, the server gives up.
      def abandon(roster, mold, reason)
        steps = [Steps::Abandon.new(candidate: mold, reason: reason, at_once: retry_at_once?(roster, mold))]
        roster.booted? ? steps : steps << Steps::GiveUp.new("the application could not be booted")
      end

      # The trial takes an empty slot, or a surplus slot if the budget allows one. Otherwise one worker makes room for
      # it, a surplus worker if there is one. No worker is retired while another one is missing, exits or is about to,
      # or while a surplus worker that could make room is not ready yet.
      def start_trial(roster)
        return [] unless roster.seats?

        slot = roster.empty_slot(beyond: @budget.surge(roster))
        return [Steps::SpawnWorker.new(roster.candidate, slot, true, purpose_of_trial(roster, slot))] if slot
        return [] if roster.unavailable.positive? || roster.workers.any?(&:leaving?)
        return [] if roster.surplus_workers.any?(&:starting?) || roster.signalled_workers.any?

        coldest = roster.ready_workers.min_by { |worker| [worker.nr < roster.target ? 1 : 0, worker.requests_count] }
        [Steps::Retire.new(coldest)]
      end

      # Clients are not to pay for what a new release loads on its first requests. Its other workers are forked from one
      # that was rehearsed. Where the trial has the slot of a worker that serves, clients wait less for a cold one; and
      # a rollback is not to fail for what is warmed up.
      def purpose_of_trial(roster, slot)
        candidate = roster.candidate
        return if roster.trial || slot < roster.target || roster.of_release?(candidate) || roster.roll.rollback?

        :warmed_trial if candidate.release.settings.warm_up?
      end

      # Without outdated workers the generation stays the same, so no worker is replaced. If a promotion fails, or its
      # mold is soon lost as well, the next attempt is a cold boot, and so on in turn. A candidate that was killed does
      # not count as a failure.
      def replace_mold(roster, now)
        return [] unless roster.succession.replaceable?(now)

        worker = warmest(workers_of_release(roster)) if roster.succession.vain_replacements.even?
        return [Steps::ColdBoot.new(roster.generation)] unless worker

        generation = @demand.new_generation?(roster) ? roster.next_generation : roster.generation
        [Steps::Promote.new(worker, generation, { why: @demand.reason }, @demand.temporary?(roster))]
      end

      # Whether the replacement of a lost mold was killed, and another warm worker can be promoted.
      def retry_at_once?(roster, candidate)
        return false if roster.mold || roster.succession.killed_replacements >= KILLED_IN_A_ROW

        KILLED.include?(candidate.exit_report&.cause) && !warmest(workers_of_release(roster)).nil?
      end

      # Whether a refork is in vain as long as the present workers serve.
      def no_template?(roster) = workers_of_release(roster).none? { |worker| worker.row.fork_safe? }

      # The others run code that is on its way out.
      def workers_of_release(roster) = roster.ready_workers.select { |worker| roster.of_release?(worker) }

      # Among the fork-safe workers, in this order of importance: the newest generation, because its mold was warm
      # already; the fewest failed promotions, because a failure may be the worker's fault; a JIT compiler that is on,
      # so that the copies inherit machine code; the most requests served.
      def warmest(workers)
        workers.select { |worker| worker.row.fork_safe? }.max_by do |worker|
          [worker.generation, -worker.promotions, worker.row.compiles, worker.requests_count, -worker.nr]
        end
      end

      # A cold mold is never abandoned for this reason, because booting again would give the same mold.
      def unable_to_fork?(roster)
        failures = roster.succession.fork_failures
        return false if roster.mold.nil? || roster.mold.cold? || failures.count < FAILED_WORKERS

        !failures.forked_any?(roster.ready_workers)
      end
    end
  end
end
