# frozen_string_literal: true

require "coppice/config/types/amounts"
require "coppice/monitor/workers/rollout_budget"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides when the release that was asked for is booted, or put back from a mold that was kept, and when a kept mold
    # exits. Promotion decides about the booted one: trial, canary, commit.
    class ReleaseSwitch
      SHORT_OF_MEMORY = 0.05 # share of all memory that is left

      # How many workers exit before the boot of a lean roll: one stays at least.
      #: (Roster) -> Integer
      def self.workers_of_lean_roll(roster)
        settings = roster.release.settings
        count = settings.refork_max_unavailable || Config::Types::WorkerShare.of("10%", roster.target)
        count.clamp(0, roster.target - 1)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        steps = give_up(roster) + advance(roster, now)
        steps.empty? ? end_kept(roster, now) : steps
      end

      private

      # `coppice rollback` may give up a roll whose candidate exists already, and another roll may follow at once.
      def give_up(roster)
        candidate, roll = roster.candidate, roster.roll
        steps = roll&.decided? && roster.held_back.positive? ? [Steps::HoldBack.new(0)] : []
        reason = reason_to_give_up(roster, candidate, roll) if candidate
        return steps unless reason

        [*steps, Steps::Abandon.new(candidate: candidate, reason: reason, at_once: true, wanted: true)]
      end

      # A reinstatement needs no mold of the release that it takes back.
      def reason_to_give_up(roster, candidate, roll)
        return ("its release is taken back" if reinstating?(roster, roll)) if roster.of_release?(candidate)

        roll.reason || "another roll began" unless roll.awaits?(candidate.release)
      end

      def end_kept(roster, now)
        return [] if roster.kept.nil? || roster.kept.leaving?
        return [Steps::EndKept.new("rollback_window is over")] if now >= roster.kept_until
        return [] unless short_of_memory?(roster)

        [Steps::EndKept.new("memory is short")]
      end

      def short_of_memory?(roster)
        left, total = roster.headroom.left, roster.headroom.total
        !(left.nil? || total.nil?) && left < total * SHORT_OF_MEMORY
      end

      def advance(roster, now)
        roll = roster.roll
        return [Steps::Reinstate.new(roster.kept)] if reinstating?(roster, roll)
        return [] unless roll&.prepared? && ready?(roster, now) && rollout_over?(roster, roll)

        make_room(roster, roll) || [boot(roster, roll)]
      end

      # A promotion that is under way ends before a boot. A mold that was lost is not waited for: the new release may be
      # the cure.
      def ready?(roster, now)
        roster.candidate.nil? && !roster.rehearsing? && roster.reforks.over?(now) && roster.booted?
      end

      # There are never processes of three releases: those of the release before are replaced first.
      def rollout_over?(roster, roll)
        return true if unable_to_fork?(roster)

        roster.handles.none? do |handle|
          (handle.worker? || handle.service?) && !handle.leaving? && !roster.of_release?(handle) &&
            handle.release.number != roll.release.number
        end
      end

      # Nothing waits for workers that the running release cannot fork.
      def unable_to_fork?(roster)
        roster.replacements.failures.positive? || roster.spawns.failures >= RolloutBudget::FAILED_FORKS
      end

      # It waits for nothing: the release that serves may be what is wrong.
      def reinstating?(roster, roll)
        return false unless roll&.prepared? && roll.rollback?

        roster.kept&.ready? && roster.kept.release.equal?(roll.release)
      end

      # nil when there is room: two molds of other releases there must not be, and a lean roll ends workers first.
      def make_room(roster, roll)
        return roster.kept.leaving? ? [] : [Steps::EndKept.new("another roll begins")] if roster.kept
        return if roll.release.settings.roll_strategy != :lean

        count = self.class.workers_of_lean_roll(roster)
        return [Steps::HoldBack.new(count)] if roster.held_back.zero? && count.positive?

        [] if roster.workers.any?(&:leaving?) || (roster.ready_workers.size > roster.target && !unable_to_fork?(roster))
      end

      def boot(roster, roll)
        generation = roster.next_generation
        Steps::ColdBoot.new(generation, roll.release.from_generation(generation))
      end
    end
  end
end
