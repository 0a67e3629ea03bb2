# frozen_string_literal: true

require "test_helper"
require "coppice/gc_profile"
require "coppice/gc_profile/fit"
require "coppice/gc_profile/allocations"

module Coppice
  module GCProfile
    class FitTest < TestCase
      LIGHT = "requests=840 cpu_us=7100 minor_us=650 malloc=500000 promoted=40 largest=15000 " \
              "40:4020/230000 80:721/36000 160:1330/34000 320:43/1800 640:20/1600"
      HEAVY = "requests=64 cpu_us=60000 minor_us=8000 malloc=4000000 promoted=900 largest=90000 " \
              "40:21451/400000 80:3879/120000 160:6057/80000"
      IDLE = "requests=64 cpu_us=0 minor_us=0 malloc=0 promoted=0 largest=0 40:0/0 80:0/0 160:0/0 320:0/0 640:0/0"
      ONE_POOL = "requests=64 cpu_us=7100 minor_us=650 malloc=500000 promoted=40 largest=15000 40:6134/303400"
      SHAPES = [LIGHT, HEAVY, IDLE, ONE_POOL].freeze
      RATIOS = %w[MIN GOAL MAX].map { |name| "RUBY_GC_HEAP_FREE_SLOTS_#{name}_RATIO" }.freeze
      LIMITS = %w[RUBY_GC_MALLOC_LIMIT RUBY_GC_MALLOC_LIMIT_MAX].freeze
      PRICE = 2
      SEED = 20_261_121

      test "the three ratios are in order, and never above Ruby's own" do
        each_fit do |fit, facts|
          min, goal, max = RATIOS.map { |name| Float(fit.variables.fetch(name)) }
          assert min.positive? && min < goal && goal < max && goal <= 0.40 && max <= 0.65, facts
        end
      end

      test "every variable is one that Ruby reads" do
        each_fit do |fit, facts|
          assert_nil GCProfile.problem_of_ratios(fit.variables), facts
          assert(fit.variables.all? { |name, value| GCProfile.variable?(name, value) && Float(value).positive? }, facts)
        end
      end

      test "the limits on malloc are in range" do
        each_fit do |fit, facts|
          limit, largest = LIMITS.map { |name| Integer(fit.variables.fetch(name), 10) }
          assert Fit::MALLOC_LIMIT.cover?(limit) && largest > limit, facts
        end
      end

      test "requests that allocate more, of everything, never get less space" do
        random = Random.new(SEED)
        500.times do
          facts = draw(random)
          more = grown(facts, 1 + random.rand(10))
          before, after = [facts, more].map { |one| room(Fit.new(one, price: PRICE).variables) }
          assert before.zip(after).all? { |less, greater| less <= greater }, "seed #{SEED}: #{facts}, then #{more}"
        end
      end

      test "the dearer memory is, the less space there is" do
        requests = [0.1, 1, 10].map { |price| fit(LIGHT, price: price).requests_per_collection }

        assert_equal requests.sort.reverse, requests
        assert_operator requests.last, :<, requests.first
      end

      test "at the best number of requests, a collection costs as much as the memory" do
        found = Allocations.parse(LIGHT.sub("promoted=40", "promoted=0"))
        number = fit(found.to_s).requests_per_collection
        memory_us = number * found.bytes_per_request / Fit::GIB * PRICE * found.cpu_us

        assert_in_delta found.minor_us.fdiv(number), memory_us, memory_us * 0.2
      end

      test "requests that keep what they allocate get more space, because major collections are dear" do
        few, many = [40, 3000].map do |slots|
          fit(LIGHT.sub("promoted=40", "promoted=#{slots}")).requests_per_collection
        end

        assert_operator many, :>, 2 * few
      end

      test "the space is no larger than Ruby's own, whatever collections cost" do
        found = Allocations.parse(LIGHT.sub("minor_us=650", "minor_us=9000000"))
        space = Fit.new(found, price: PRICE).requests_per_collection * found.slots_per_request
        live = found.pools.values.sum(&:last)

        assert_in_delta 0.40, space.fdiv(space + live), 0.01
      end

      test "the space holds the largest request, whatever memory costs" do
        found = Allocations.parse(LIGHT.sub("largest=15000", "largest=200000"))
        space = Fit.new(found, price: 1000).requests_per_collection * found.slots_per_request

        assert_operator space, :>=, 200_000
      end

      test "what is free after each collection is enough for a request, whatever memory costs" do
        found = Allocations.parse(LIGHT)
        min = Float(Fit.new(found, price: 1000).variables.fetch(RATIOS.first))
        live = found.pools.values.sum(&:last)

        assert_operator min * live, :>=, found.slots_per_request * 0.9
      end

      test "objects that become old do not cause a major collection in every few requests, whatever memory costs" do
        found = Allocations.parse(LIGHT.sub("promoted=40", "promoted=150"))
        space = Fit.new(found, price: 1000).requests_per_collection * found.slots_per_request

        assert_operator space * Fit::ABOVE_MINIMUM, :>=, 150 * Fit::MAJOR_REQUESTS
      end

      test "the more a collection costs relative to a request, the fewer there are" do
        texts = [100, 650, 5000].map { |us| LIGHT.sub("minor_us=650", "minor_us=#{us}") }
        requests = texts.map { |text| fit(text).requests_per_collection }

        assert_equal requests.sort, requests
        assert_operator requests.first, :<, requests.last
        assert_operator requests.first, :>=, Fit::FEWEST_REQUESTS
      end

      private

      def fit(text, price: PRICE) = Fit.new(Allocations.parse(text), price: price)

      # Of each shape, and of random measurements.
      def each_fit
        random = Random.new(SEED)
        measurements = SHAPES.map { |text| Allocations.parse(text) } + Array.new(300) { draw(random) }
        measurements.each { |facts| yield Fit.new(facts, price: PRICE), "seed #{SEED}: #{facts}" }
      end

      def draw(random)
        sizes = random.rand < 0.3 ? [40] : [40, 80, 160, 320, 640]
        Allocations.new(requests: random.rand(1..64), cpu_us: magnitude(random, 7), minor_us: magnitude(random, 5),
          malloc: magnitude(random, 9),
          promoted: magnitude(random, 5), largest: magnitude(random, 6),
          pools: sizes.to_h { |size| [size, [magnitude(random, 6), magnitude(random, 7)]] })
      end

      # From 0 to so many digits, each number of digits as likely as any other.
      def magnitude(random, digits) = random.rand(10**random.rand(0..digits))

      # The same, but that requests take so many times as much.
      def grown(facts, factor)
        pools = facts.pools.transform_values { |taken, live| [taken * factor, live] }
        Allocations.new(**facts.to_h, malloc: facts.malloc * factor, promoted: facts.promoted * factor,
                                      largest: facts.largest * factor, pools: pools)
      end

      # All values that leave more room when they are larger.
      def room(variables) = variables.sort.map { |_, value| Float(value) }
    end
  end
end
