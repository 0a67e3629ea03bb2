# frozen_string_literal: true

require "coppice/monitor/refork_condition/growth_curve"
require "coppice/monitor/refork_condition/generation_usage"

module Coppice
  class Monitor
    module ReforkCondition
      # `refork_after :auto`: a generation ends when the memory that the next one saves is worth the work of bringing it up.
      #
      # Both are counted in requests. To hold all of the server's memory for one request is worth one request's CPU time; a
      # part of the memory that part of it. A refork now saves, over as many requests as this generation has served, what
      # its workers hold in private pages now less what the next one's are expected to: the area between the two. For steady
      # growth, where each generation is like the last, this is the rule that makes the sum of waste and work smallest: go on
      # as long as the waste of this moment is below the average cost.
      #
      # What is expected of the next generation is learned from what the last refork did. This one's curve beside the last
      # one's at equal requests is what a refork leaves; and what came back at once, a working set, will come back again, so
      # that there is nothing to be won from it. After a cold boot nothing is known, and hope is the best estimate.
      class Payback
        # Less is within what measurements vary, and no user's concern: a part of the server's memory, and KiB for each worker.
        WORTHWHILE = 0.1
        WORTHWHILE_KIB = 8 * 1024
        FIRST_REQUESTS = 25 # of each new worker are slower; a refork never costs less than so many for each
        # So many times as long as the last refork took, its rollout included, none begins: twice as many after each one since
        # the last cold boot, when most is won, and fewer where memory is short.
        REST = (5..40)
        IMPATIENCE = 0.25 # at most to this part
        SHORTEST_REFORK = 1.0 # seconds; a faster one counts as this
        # What the cost is multiplied with: the memory that is left, in terms of what is in use. Where it is short a refork is
        # worth more; where it is plenty, memory is what people pay for all the same.
        PLENTY = (0.1..1.0)

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
          turn_the_page(measurement, now) if measurement.generation != @generation
          @curve.add(measurement.requests, measurement.waste)
          compare
          due = measurement.request_ms && rested?(measurement, now) && pays?(measurement)
          @asked_at = (now if due) # one that came to nothing is forgotten when we are asked again
          figures(measurement) if due
        end

        private

        # Since we are asked only when every slot is served by one generation, now is also when the refork has ended.
        def turn_the_page(measurement, now)
          @took = [@asked_at ? now - @asked_at : 0, SHORTEST_REFORK].max # one that the user asked for began we know not when
          @last = (@curve unless measurement.cold || @curve.requests.zero?)
          @rest = @last ? (@rest * 2).clamp(REST) : 0
          @comes_back = @last ? 1.0 : 0.0
          @curve = GrowthCurve.new
          @generation = measurement.generation
          @begun_at = now
          @asked_at = nil
        end

        # The part of the last generation's growth that this one has seen again, after as many requests.
        def compare
          return unless @last && @curve.requests.between?(1, @last.requests)

          before = @last.level_at(@curve.requests)
          @comes_back = before.positive? ? (@curve.level / before).clamp(0.0, 1.0) : 1.0
        end

        def rested?(measurement, now)
          @rest.zero? || now - @begun_at >= @took * [@rest * plenty(measurement).clamp(IMPATIENCE, 1), REST.begin].max
        end

        def pays?(measurement)
          winnable >= least(measurement) && gain(measurement) >= cost(measurement) * plenty(measurement)
        end

        def least(measurement) = [measurement.total * WORTHWHILE, measurement.workers * WORTHWHILE_KIB].max

        def winnable = @curve.level - (@comes_back * working_set)

        # What came back at once when it was last seen.
        def working_set = @last ? @last.foot : 0

        # In requests.
        def gain(measurement)
          held = @curve.level * @curve.requests
          (held - (@comes_back * @curve.area(floor: working_set))) / measurement.total
        end

        # In requests.
        def cost(measurement)
          [measurement.refork_ms / [measurement.request_ms, Float::EPSILON].max, FIRST_REQUESTS * measurement.workers].max
        end

        def plenty(measurement)
          measurement.left ? (measurement.left / measurement.total.to_f).clamp(PLENTY) : PLENTY.end
        end

        def figures(measurement)
          { why: :auto, waste_mib: mib(@curve.level), total_mib: mib(measurement.total), served: @curve.requests,
            growth_kib_per_request: @curve.slope.round(2), comes_back: @comes_back.round(2), gain_requests: gain(measurement).round,
            cost_requests: cost(measurement).round, available_mib: (mib(measurement.left) if measurement.left) }.compact
        end

        def mib(kib) = kib / 1024
      end
    end
  end
end
