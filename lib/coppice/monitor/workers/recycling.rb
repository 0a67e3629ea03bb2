# frozen_string_literal: true

require "coppice/monitor/kernel/backoff"
require "coppice/monitor/workers/rollout_budget"
require "coppice/monitor/steps"
require "coppice/monitor/workers/worker_limits"

module Coppice
  class Monitor
    # Decides which workers are over one of the user's limits and must be replaced by a fresh fork. The rollout then
    # replaces them. Recycling takes a few workers at a time, and only while no promotion or rollout is under way.
    #
    # Recycling cannot keep a memory limit that fresh forks reach soon. So each time that a young worker reaches it, the
    # next recycling for memory waits twice as long. The third time in a row is logged. A worker that is over the limit
    # before its first request stays: the next fork would be no smaller.
    class Recycling
      YOUNG = 60.0 # a worker is young until so many seconds after it became ready
      YOUNG_IN_A_ROW = 3 # recyclings of young workers until the log warns
      FIRST_PAUSE = 2.0 # seconds, doubled with each further recycling of young workers
      LONGEST_PAUSE = 600.0

      #: (Config::Settings) -> void
      def initialize(settings)
        @limits = WorkerLimits.new(settings)
        @budget = RolloutBudget.new(settings)
        @memory_backoff = Backoff.new
        @too_large_since = {} # Handle => when it was first seen over its memory limit
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless @limits.any? && roster.settled? && (roster.mold.nil? || roster.mold.ready?)
        return [] if roster.signalled_workers.any?

        @too_large_since.keep_if { |worker, _| worker.ready? }
        steps = workers_over_limit(roster, now).map { |worker, excess| Steps::Recycle.new(worker, excess) }
        too_large = steps.select { |step| step.reason_fields[:why] == :memory }
        return back_off(steps, now) if too_large.any? { |step| young?(step.handle) }

        @memory_backoff.succeeded if too_large.any?
        steps
      end

      private

      # Pairs of a worker and its excess, oldest worker first.
      def workers_over_limit(roster, now)
        oldest_first = roster.ready_workers.sort_by(&:ready_at)
        oldest_first.to_h { |worker| [worker, excess(worker, roster, now)] }.compact.first(budget(roster))
      end

      # The time of a memory excess is noted during a pause as well: a worker that reached the limit while it was young
      # still counts as young when the pause is over.
      def excess(worker, roster, now)
        memory = memory_excess(worker, roster)
        @too_large_since[worker] ||= now if memory
        (memory if @memory_backoff.over?(now)) || @limits.request_or_age_excess(worker, now)
      end

      # A PSS that was measured while fewer processes shared the same pages says nothing.
      def memory_excess(worker, roster)
        excess = @limits.memory_excess(worker, roster.headroom.total)
        excess unless excess && excess[:kind] == :pss && !roster.measured?(worker)
      end

      def budget(roster) = [@budget.surge(roster), @budget.max_unavailable(roster), 1].max

      # Whether it was young when it reached its memory limit.
      def young?(worker) = @too_large_since[worker] - worker.ready_at < YOUNG

      def back_off(steps, now)
        @memory_backoff.failed(now, pause: [FIRST_PAUSE * (2**@memory_backoff.failures), LONGEST_PAUSE].min)
        return steps unless @memory_backoff.failures == YOUNG_IN_A_ROW

        problem = "worker_memory_limit is too low: workers reach it soon after their fork"
        [Steps::Warn.new(problem, steps.first.reason_fields), *steps]
      end
    end
  end
end
