# frozen_string_literal: true

require "coppice/monitor/rollout_budget"
require "coppice/monitor/steps"
require "coppice/monitor/worker_limits"

module Coppice
  class Monitor
    # Decides which workers are over one of the user's limits and must be replaced by a fresh fork; the rollout then
    # replaces them. A few at a time, and only while no promotion or rollout is under way.
    #
    # A memory limit that forks reach soon cannot be kept by recycling. So each time that a young worker reaches it, the
    # next recycling for memory waits twice as long, and the log says so once. A fork that is over the limit before it
    # served anybody is left alone: the next one would be no smaller.
    class Recycling
      YOUNG = 60.0 # seconds since a worker became ready
      YOUNG_IN_A_ROW = 3 # until the log warns
      PAUSE = 1.0 # seconds, doubled with each young worker in a row
      LONGEST_PAUSE = 600.0

      #: (Config::Settings) -> void
      def initialize(settings)
        @limits = WorkerLimits.new(settings)
        @budget = RolloutBudget.new(settings)
        @young_in_a_row = 0
        @memory_not_before = -Float::INFINITY
        @too_large_since = {} # Handle => when it was first seen over its memory limit
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless @limits.any? && roster.settled? && roster.mold&.ready?

        @too_large_since.keep_if { |worker, _| worker.ready? }
        steps = due(roster, now).map { |worker, grounds| Steps::Recycle.new(worker, grounds) }
        young?(steps) ? slow_down(steps, now) : steps
      end

      private

      # The oldest first.
      def due(roster, now)
        oldest = roster.ready_workers.sort_by(&:ready_at)
        oldest.to_h { |worker| [worker, grounds(worker, roster, now)] }.compact.first(budget(roster))
      end

      # Memory is looked at during a pause as well: a worker that has to wait is not older for it.
      def grounds(worker, roster, now)
        excess = @limits.memory_excess(worker, roster.memory_total_kib)
        @too_large_since[worker] ||= now if excess
        (excess if now >= @memory_not_before) || @limits.request_or_age_excess(worker, now)
      end

      def budget(roster) = [@budget.surge(roster), @budget.max_unavailable(roster), 1].max

      def young?(steps)
        for_memory = steps.select { |step| step.grounds[:why] == :memory }
        return false if for_memory.empty?

        young = for_memory.any? { |step| @too_large_since[step.worker] - step.worker.ready_at < YOUNG }
        @young_in_a_row = 0 unless young
        young
      end

      def slow_down(steps, now)
        @young_in_a_row += 1
        @memory_not_before = now + [PAUSE * (2**@young_in_a_row), LONGEST_PAUSE].min
        return steps unless @young_in_a_row == YOUNG_IN_A_ROW

        problem = "worker_memory_limit is too low: workers reach it soon after their fork"
        [Steps::Warn.new(problem, steps.first.grounds), *steps]
      end
    end
  end
end
