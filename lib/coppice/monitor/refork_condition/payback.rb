# frozen_string_literal: true

require "coppice/monitor/refork_condition/growth_curve"
require "coppice/monitor/refork_condition/generation_usage"

module Coppice
  class Monitor
    module ReforkCondition
      # `refork_after :auto` starts a refork when the memory that it saves is worth the work that it costs.
      #
      #   gain [requests] = (private memory now [KiB] × requests served by this generation
      #                      − private memory expected of the next one [KiB], summed over as many requests)
      #                     ÷ total memory of the server [KiB]
      #   cost [requests] = CPU time of the last refork [ms] ÷ CPU time of a request [ms]
      #   refork when gain ≥ cost × headroom factor
      #
      # Both are counted in requests: to hold all of the server's memory for one request is worth the CPU time of one
      # request, and to hold a part of it is worth that part.
      #
      # Example: a server takes 400,000 KiB. After 2,000 requests its workers hold 100,000 KiB of private memory, which
      # grew steadily, as in the generation before. The next generation is expected to grow in the same way, and so to
      # hold 50,000 KiB on average. gain = (100,000 − 50,000) × 2,000 ÷ 400,000 = 250 requests. The last refork took
      # 2,000 ms of CPU time, and a request takes 10 ms: cost = 200 requests. With a headroom factor of 1 the refork
      # starts.
      #
      # For steady growth, where each generation is like the last, this rule makes the sum of memory held and work done
      # smallest: it goes on as long as the memory held now costs less than the average so far.
      #
      # What the next generation is expected to hold is learned from the last refork, by comparing this generation's
      # growth with the last one's at equal requests. Memory that came back at once is a working set: it comes back
      # after every refork, so a refork does not win it. After a cold boot nothing is known, and all private memory
      # counts as won.
      class Payback
        # A smaller saving is within the error of measurement: relative to the server's memory, and in KiB for each
        # worker.
        LEAST_SHARE = 0.1
        LEAST_KIB = 8 * 1024
        FIRST_REQUESTS = 25 # of each new worker are slower: a refork costs at least this many for each worker
        # The pause after a refork, as a multiple of the time that it took, rollout included. It doubles with each
        # refork since the last cold boot, after which a refork wins most.
        REST = (5..40)
        SHORTEST_REST = 0.25 # the part of the pause that is kept where memory is short
        SHORTEST_REFORK = 1.0 # seconds; a faster one counts as this
        # The headroom factor: memory that is left ÷ memory in use. Where memory is short a refork is worth more. Where
        # it is plentiful, people pay for it all the same.
        HEADROOM = (0.1..1.0)

        def initialize
          @curve = GrowthCurve.new
          @rest = 0
        end

        #: (Roster, Float) -> Hash[Symbol, untyped]?
        def grounds(roster, now)
          measurement = GenerationUsage.of(roster)
          judge(measurement, now) if measurement
        end

        #: (GenerationUsage, Float) -> Hash[Symbol, untyped]?
        def judge(measurement, now)
          begin_generation(measurement, now) if measurement.generation != @generation
          @curve.add(measurement.requests, measurement.waste)
          compare
          due = measurement.request_ms && rested?(measurement, now) && pays?(measurement)
          @asked_at = (now if due) # a refork that failed is forgotten at the next question
          figures(measurement) if due
        end

        private

        # This is asked only when one generation serves every slot, so the refork ends now.
        def begin_generation(measurement, now)
          took = @asked_at ? now - @asked_at : 0 # the start of a refork that the user asked for is unknown
          @took = [took, SHORTEST_REFORK].max
          @last = (@curve unless measurement.cold || @curve.requests.zero?)
          @rest = @last ? (@rest * 2).clamp(REST) : 0
          @comes_back = @last ? 1.0 : 0.0
          @curve = GrowthCurve.new
          @generation = measurement.generation
          @begun_at = now
          @asked_at = nil
        end

        # Which part of the last generation's growth this one has repeated, after as many requests.
        def compare
          return unless @last && @curve.requests.between?(1, @last.requests)

          before = @last.level_at(@curve.requests)
          @comes_back = before.positive? ? (@curve.level / before).clamp(0.0, 1.0) : 1.0
        end

        def rested?(measurement, now)
          return true if @rest.zero?

          rest = @rest * headroom(measurement).clamp(SHORTEST_REST, 1)
          now - @begun_at >= @took * [rest, REST.begin].max
        end

        def pays?(measurement)
          winnable >= least(measurement) && gain(measurement) >= cost(measurement) * headroom(measurement)
        end

        def least(measurement) = [measurement.total * LEAST_SHARE, measurement.workers * LEAST_KIB].max

        def winnable = @curve.level - (@comes_back * working_set)

        # KiB that came back at once after the last refork.
        def working_set = @last ? @last.working_set : 0

        # In requests.
        def gain(measurement)
          held = @curve.level * @curve.requests
          (held - (@comes_back * @curve.area(floor: working_set))) / measurement.total
        end

        # In requests.
        def cost(measurement)
          refork = measurement.refork_ms / [measurement.request_ms, Float::EPSILON].max
          [refork, FIRST_REQUESTS * measurement.workers].max
        end

        def headroom(measurement)
          measurement.left ? (measurement.left / measurement.total.to_f).clamp(HEADROOM) : HEADROOM.end
        end

        def figures(measurement)
          { why: :auto, waste_mib: mib(@curve.level), total_mib: mib(measurement.total), served: @curve.requests,
            growth_kib_per_request: @curve.slope.round(2), comes_back: @comes_back.round(2),
            gain_requests: gain(measurement).round, cost_requests: cost(measurement).round,
            available_mib: (mib(measurement.left) if measurement.left) }.compact
        end

        def mib(kib) = kib / 1024
      end
    end
  end
end
