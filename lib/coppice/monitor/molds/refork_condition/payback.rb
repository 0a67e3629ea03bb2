# frozen_string_literal: true

require "coppice/monitor/molds/refork_condition/forecast"
require "coppice/monitor/molds/refork_condition/growth_curve"
require "coppice/monitor/molds/refork_condition/generation_usage"

module Coppice
  class Monitor
    module ReforkCondition
      # `refork_after :auto` starts a refork when the memory that it saves is worth the work that it costs.
      #
      #   gain [requests] = ((private memory now − memory that the next mold would hold in addition) [KiB]
      #                      × requests served by this generation
      #                      − private memory expected of the next one [KiB], summed over as many requests)
      #                     × memory_price [cores per KiB] ÷ number of workers that are busy
      #   cost [requests] = CPU time of the last refork [ms] ÷ CPU time of a request [ms]
      #   refork when gain ≥ cost × headroom factor
      #
      # Both are CPU time, counted in requests. Memory is held for as long as the requests take. That is their CPU time,
      # divided by the number of workers that are busy at the same time.
      #
      # Example: four workers hold 100,000 KiB of private memory after 2,000 requests, which grew steadily, as in the
      # generation before. The next generation is expected to grow in the same way, and so to hold 50,000 KiB on
      # average. With a price of 4 cores per GiB and one busy worker, gain = (100,000 − 50,000) × 2,000 × 4 ÷ 1,048,576
      # = 381 requests. The last refork took 2,000 ms of CPU time, and a request takes 10 ms: cost = 200 requests. With
      # a headroom factor of 1 the refork starts.
      #
      # If memory grows steadily and each generation is like the last, this rule makes the sum of memory held and work
      # done smallest: a generation lasts as long as the memory held now costs less than the average so far.
      #
      # What the next generation is expected to hold is learned from the last refork: this generation's growth is
      # compared with the growth of the last one after the same number of requests. Memory that came back at once is a
      # working set: it comes back after every refork, so a refork does not save it. After a cold boot nothing is known,
      # and all private memory counts as saved.
      #
      # What a worker has made before it was ready, such as in after_worker_fork, is not shared by a refork: the next
      # mold is a copy of such a worker and holds it too, while the workers forked from it make it again.
      class Payback
        # The minimum saving, as a share of the server's memory and in KiB for each worker. A smaller one is within the
        # error of measurement.
        MINIMUM_SHARE = 0.1
        MINIMUM_KIB = 8 * 1024
        FIRST_REQUESTS = 25 # of each new worker are slower: a refork costs at least this many for each worker
        # The pause after a refork, as a multiple of the time that the refork and its rollout took. It doubles with each
        # refork since the last cold boot, because the first refork after a cold boot saves most.
        PAUSE = (5..40)
        MINIMUM_PAUSE_FACTOR = 0.25 # by which the pause is multiplied at most when memory is short
        SHORTEST_REFORK = 1.0 # seconds; a faster refork counts as this
        # The headroom factor: memory that is left ÷ memory in use. It lowers the cost of a refork where memory is
        # short. It never raises the cost.
        HEADROOM = (0.1..1.0)
        GIB = (1 << 20).to_f # KiB
        BUSY = 0.25 # of the workers, on average; the others hold their memory all the same

        # price: the setting memory_price.
        #: (price: Numeric) -> void
        def initialize(price:)
          @core_kib = GIB / price # as dear as a core
          @curve = GrowthCurve.new
          @pause = 0
        end

        #: (Roster, Float) -> Hash[Symbol, untyped]?
        def reason_fields(roster, now)
          usage = GenerationUsage.of(roster)
          judge(usage, now) if usage
        end

        #: (GenerationUsage, Float) -> Hash[Symbol, untyped]?
        def judge(usage, now)
          @usage = usage
          start_generation(now) if usage.generation != @generation
          @curve.add(usage.requests, usage.waste)
          compare_with_last
          due = usage.request_ms && pause_over?(now) && pays?
          @started_at = (now if due) # if this refork fails, the next call overwrites it
          figures if due
        end

        # What was judged last, as values of the board's ledger; nil before there is anything to judge.
        #: (Float) -> Hash[Symbol, Integer]?
        def ledger(now)
          return unless @usage&.request_ms

          { waste_kib: @curve.level, rebuilt_kib: @usage.rebuilt, total_kib: @usage.total,
            gain_requests: gain.round, cost_requests: cost.round, headroom_permille: (headroom * 1000).round,
            served: @curve.requests, growth_bytes: (@curve.slope * 1024).round,
            due_in_requests: forecast.requests || -1, resting_ms: resting_ms(now) }
        end

        private

        # Promotion calls this class only when one generation serves every slot, so the refork has ended by now.
        def start_generation(now)
          took = @started_at ? now - @started_at : 0 # the start of a refork that the user asked for is unknown
          @took = [took, SHORTEST_REFORK].max
          @last = (@curve unless @usage.cold || @curve.requests.zero?)
          @pause = @last ? (@pause * 2).clamp(PAUSE) : 0
          @regrowth = @last ? 1.0 : 0.0
          @curve = GrowthCurve.new
          @generation = @usage.generation
          @generation_started_at = now
          @started_at = nil
        end

        # Computes which part of the last generation's growth has come back in this one after the same number of
        # requests.
        def compare_with_last
          return unless @last && @curve.requests.between?(1, @last.requests)

          before = @last.level_at(@curve.requests)
          @regrowth = before.positive? ? (@curve.level / before).clamp(0.0, 1.0) : 1.0
        end

        def pause_over?(now) = @pause.zero? || now - @generation_started_at >= pause

        # Seconds that must pass after the last refork.
        def pause = @took * [@pause * headroom.clamp(MINIMUM_PAUSE_FACTOR, 1), PAUSE.begin].max

        def resting_ms(now)
          left = @pause.zero? ? 0 : @generation_started_at + pause - now
          left.positive? ? (left * 1000).round : -1
        end

        def pays? = saving >= minimum_saving && gain >= cost * headroom

        def minimum_saving = [@usage.total * MINIMUM_SHARE, @usage.workers * MINIMUM_KIB].max

        # KiB that a refork is expected to save.
        def saving = @curve.level - @usage.rebuilt - (@regrowth * working_set)

        # KiB of private memory that came back at once after the last refork.
        def working_set = @last ? @last.working_set : 0

        # In requests.
        def gain
          held = (@curve.level - @usage.rebuilt) * @curve.requests
          (held - (@regrowth * @curve.area(floor: working_set))) / worth_a_request
        end

        # KiB that cost as much, for the duration of a request, as its CPU time.
        def worth_a_request = @core_kib * @usage.workers * BUSY

        # In requests.
        def cost = [@usage.refork_ms / @usage.request_ms, FIRST_REQUESTS * @usage.workers].max

        def forecast
          Forecast.new(level: @curve.level, slope: @curve.slope, served: @curve.requests, floor: working_set,
                       area: @curve.area(floor: working_set), rebuilt: @usage.rebuilt, regrowth: @regrowth,
                       worth_a_request: worth_a_request, least: minimum_saving, worth: cost * headroom)
        end

        def headroom = @usage.left ? (@usage.left / @usage.total.to_f).clamp(HEADROOM) : HEADROOM.end

        def figures
          rebuilt = mib(@usage.rebuilt)
          { why: :auto, waste_mib: mib(@curve.level), rebuilt_mib: (rebuilt if rebuilt.positive?),
            total_mib: mib(@usage.total), served: @curve.requests,
            growth_kib_per_request: @curve.slope.round(2), regrowth: @regrowth.round(2),
            gain_requests: gain.round, cost_requests: cost.round,
            available_mib: (mib(@usage.left) if @usage.left) }.compact
        end

        def mib(kib) = kib / 1024
      end
    end
  end
end
