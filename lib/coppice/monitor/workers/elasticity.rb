# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/workers/elasticity/demand"
require "coppice/monitor/workers/elasticity/growth_trial"
require "coppice/monitor/workers/elasticity/spare_workers"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides how many workers there are between the two ends of `worker_processes 2..16`: more while requests wait for
    # a worker and the workers wait for something else than a processor; fewer once some were not needed for a while, or
    # so many compute that they only delay each other. The highest numbers leave: the lobby prefers the lowest, so they
    # are the coldest.
    class Elasticity
      LOOK_PAUSE = 0.1 # seconds between two looks while requests wait and another worker would help
      LONG_PAUSE = 0.25 # seconds between two others: a turn of the monitor takes a millisecond or two
      SOON = 0.01 # seconds
      PATIENCE = 0.05 # seconds that a request may wait: a few times the fork of a worker
      RUNNABLE = Rational(3, 2) # workers for each processor that compute, or wait for one
      CROWDED = 2 # times as many as processors: then some leave
      CROWD_SECONDS = 5.0
      REST_SECONDS = 10.0
      VAIN_SECONDS = 60.0 # for which a number holds that more workers have not made better
      CALM_SECONDS = 2.0 # without a request that waits, after which another load may come
      MEMORY_KEPT = Rational(1, 10) # of all memory, which no worker is forked into
      PRESSURE = 5.0 # per cent of the time in which processes wait for memory: then they look as if they were blocked

      #: (Sizing, Demand, System) -> void
      def initialize(sizing, demand, system)
        @sizing = sizing
        @demand = demand
        @system = system
        @processors = system.processors
        @looks = OS::Throttle.new(LOOK_PAUSE)
        @spare = SpareWorkers.new(REST_SECONDS)
        @bound_until = @waited_at = -Float::INFINITY
      end

      # When the next look is due (monotonic seconds), which is soon if its time has passed; nil while no client comes.
      #: (Float) -> Float?
      def due_at(now)
        return unless @sizing.bounds && @demand.traffic?

        [@looks.next_at + (@growing ? 0 : LONG_PAUSE - LOOK_PAUSE), now + SOON].max
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless @sizing.bounds && @looks.claim(now)

        @demand.look(roster, now)
        forget_bound(roster, now)
        @growing = @demand.waiting.positive? && roster.wanted < limit(now)
        return [] unless roster.booted? && roster.held_back.zero?

        target, why = decide(roster, now)
        target.nil? || target == roster.wanted ? [] : [Steps::Resize.new(target, { why: why, **figures })]
      end

      private

      def forget_bound(roster, now)
        @bound_until = now if now - @waited_at >= CALM_SECONDS
        @waited_at = now if @demand.waiting.positive? || !roster.settled? || @trial
      end

      # The number wanted, and why; nil for as many as there are.
      def decide(roster, now)
        least, most = least_now, @sizing.bounds.max
        return [roster.wanted.clamp(least, most), :blocked] unless roster.wanted.between?(least, most)
        return if roster.unavailable.positive? # what was decided last is not done

        judge(roster, now) || grow(roster, now) || (shrink(roster, least, now) if roster.settled?)
      end

      # Workers whose application says that they wait are none that others can count on.
      def least_now = (@sizing.bounds.min + @demand.blocked).clamp(@sizing.bounds)

      def grow(roster, now)
        waited, @waited = @waited, wait(roster) > PATIENCE
        return unless waited && @waited && @demand.known? && @demand.busy >= roster.wanted

        more = [limit(now) - roster.wanted, @demand.waiting, roster.wanted].min
        more = [more, room(roster)].min if more.positive? # to look at the memory takes several files
        return unless more.positive?

        @trial ||= GrowthTrial.new(roster.wanted, @demand.rate * roster.wanted)
        [roster.wanted + more, :requests_wait]
      end

      # Seconds that a request has to wait at this rate.
      def wait(roster) = @demand.waiting.zero? ? 0.0 : @demand.waiting / (@demand.rate * roster.wanted)

      def limit(now) = [@sizing.bounds.max, useful, *(@bound if now < @bound_until)].min

      # As many as keep the processors busy, if they all compute as much as those that are there.
      def useful
        @demand.computing.zero? ? Float::INFINITY : (@processors * RUNNABLE / @demand.computing).round
      end

      # Workers for which there is memory, if each gets as much of its own as the largest one, those that are there
      # included.
      def room(roster)
        return 0 if @system.memory_pressure > PRESSURE

        left, total = @system.memory_left_kib, roster.headroom.total
        sizes = roster.workers.map { |worker| worker.row.private_kib }
        largest = sizes.max.to_i
        return Float::INFINITY if left.nil? || total.nil? || largest.zero?

        left -= (total * MEMORY_KEPT) + sizes.sum { |size| largest - size }
        [(left / largest).floor, 0].max
      end

      def judge(roster, now)
        @trial = nil if @trial && roster.wanted <= @trial.from # others have decided meanwhile
        verdict = @trial&.verdict(roster.serving_workers, busy: @demand.busy, responses: @demand.responses, now: now)
        return unless verdict

        trial, @trial = @trial, nil
        return if verdict == :worth_it

        @bound = trial.from
        @bound_until = now + VAIN_SECONDS
        [[@bound, least_now].max, :no_gain]
      end

      def shrink(roster, least, now)
        spare = @spare.count(roster.wanted, @demand.busy + @demand.waiting, now)
        return [[roster.wanted - (spare / 2), least].max, :idle] if spare > 1

        [[useful, roster.wanted / 2, least].max, :processors_busy] if crowded?(roster, now)
      end

      def crowded?(roster, now)
        return @crowded_since = nil unless @demand.computing * roster.wanted > @processors * CROWDED

        @crowded_since ||= now
        now - @crowded_since >= CROWD_SECONDS
      end

      def figures
        { waiting: @demand.waiting, busy: @demand.busy, computing: "#{(@demand.computing * 100).round} %" }
      end
    end
  end
end
