# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/wear"
require "coppice/monitor/width"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides which workers are over one of the user's limits and give their place to a fresh fork; the rollout then
    # replaces them. A few at a time, and only while nothing else goes on in the family.
    #
    # A limit that forks reach soon cannot be kept by recycling. So each time that a worker reaches its memory limit in its
    # youth, the next such recycling waits twice as long; and the log says so, once. A fork that is over the limit before it
    # has served anybody is left alone: the next one would be no smaller.
    class Recycling
      YOUTH = 60.0 # seconds
      FUTILE = 3 # young ones in a row
      PAUSE = 1.0 # seconds, doubled with each young one in a row
      LONGEST_PAUSE = 600.0

      #: (untyped) -> void
      def initialize(settings)
        @wear = Wear.new(settings)
        @width = Width.new(settings)
        @young = 0 # in a row
        @memory_not_before = -Float::INFINITY
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless @wear.limited? && roster.settled? && roster.mold&.ready?

        steps = due(roster, now).map { |worker, grounds| Steps::Recycle.new(worker, grounds) }
        young?(steps) ? slow_down(steps, now) : steps
      end

      private

      # The oldest first.
      def due(roster, now)
        oldest = roster.ready_workers.sort_by(&:ready_at)
        oldest.to_h { |worker| [worker, grounds(worker, roster, now)] }.compact.first(room(roster))
      end

      # Its memory is looked at in a pause as well: one that has to wait is not older for it.
      def grounds(worker, roster, now)
        large = @wear.too_large(worker, roster.memory_total_kib)
        worker.too_large_at ||= (now if large)
        (large if now >= @memory_not_before) || @wear.spent(worker, now)
      end

      def room(roster) = [@width.surge(roster), @width.max_unavailable(roster), 1].max

      def young?(steps)
        for_memory = steps.select { |step| step.grounds[:why] == :memory }
        return false if for_memory.empty?

        young = for_memory.any? { |step| step.worker.too_large_at - step.worker.ready_at < YOUTH }
        @young = 0 unless young
        young
      end

      def slow_down(steps, now)
        @young += 1
        @memory_not_before = now + [PAUSE * (2**@young), LONGEST_PAUSE].min
        return steps unless @young == FUTILE

        [Steps::Warn.new("worker_memory_limit is too low: workers reach it soon after their fork", steps.first.grounds), *steps]
      end
    end
  end
end
