# frozen_string_literal: true

require "test_helper"
require "coppice/gc_profile"
require "coppice/gc_profile/fit"
require "coppice/gc_profile/allocations"

module Coppice
  module GCProfile
    class FitTest < TestCase
      LIGHT = "requests=840 cpu_us=7100 minor_us=650 malloc=500000 " \
              "40:4020/230000 80:721/36000 160:1330/34000 320:43/1800 640:20/1600"
      HEAVY = "requests=64 cpu_us=60000 minor_us=8000 malloc=4000000 40:21451/400000 80:3879/120000 160:6057/80000"
      IDLE = "requests=64 cpu_us=0 minor_us=0 malloc=0 40:0/0 80:0/0 160:0/0 320:0/0 640:0/0"
      ONE_POOL = "requests=64 cpu_us=7100 minor_us=650 malloc=500000 40:6134/303400"
      SHAPES = [LIGHT, HEAVY, IDLE, ONE_POOL].freeze
      RUBIES = %w[3.1.2 3.3.0 3.4.5].freeze
      RATIOS = %w[MIN GOAL MAX].map { |name| "RUBY_GC_HEAP_FREE_SLOTS_#{name}_RATIO" }.freeze
      LIMITS = %w[RUBY_GC_MALLOC_LIMIT RUBY_GC_MALLOC_LIMIT_MAX].freeze
      SEED = 20_261_121

      test "the three ratios are in order, and never above Ruby's own" do
        each_fit do |fit, facts|
          min, goal, max = RATIOS.map { |name| Float(fit.variables.fetch(name)) }
          assert min.positive? && min < goal && goal < max && goal <= 0.40 && max <= 0.65, facts
        end
      end

      test "every variable is one that Ruby reads" do
        each_fit do |fit, facts|
          assert(fit.variables.all? { |name, value| GCProfile.variable?(name, value) && Float(value).positive? }, facts)
        end
      end

      test "the limits on malloc are in range" do
        each_fit do |fit, facts|
          limit, largest = LIMITS.map { |name| Integer(fit.variables.fetch(name), 10) }
          assert Fit::MALLOC_LIMIT.cover?(limit) && largest > limit, facts
        end
      end

      test "requests that allocate more never get less space" do
        random = Random.new(SEED)
        500.times do
          facts = draw(random)
          more = grown(facts, random)
          RUBIES.each do |ruby|
            before, after = [facts, more].map { |measurement| room(Fit.new(measurement, ruby: ruby).variables) }
            assert before.zip(after).all? { |less, greater| less <= greater }, "seed #{SEED}: #{facts}, then #{more}"
          end
        end
      end

      test "a pool's initial slots hold those in use and those that some requests take" do
        fit = Fit.new(Allocations.parse(LIGHT), ruby: "3.4.5")
        expected = Allocations.parse(LIGHT).pools.values.map do |taken, live|
          live + (taken * fit.requests_per_collection)
        end
        floors = (0..4).map { |index| Integer(fit.variables.fetch("RUBY_GC_HEAP_#{index}_INIT_SLOTS"), 10) }

        assert_equal expected.map { |slots| slots.ceil(-2) }, floors
      end

      test "there are no initial slots where Ruby has no such variables, nor for pools of another size" do
        assert_empty floors(LIGHT, "3.2.0")
        assert_empty floors(LIGHT.gsub("40:", "48:"), "3.4.5")
        refute_empty floors(LIGHT, "3.3.0")
        refute_empty floors(LIGHT, "3.10.0")
      end

      test "without initial slots, the neediest pool decides the ratio" do
        small, large = [ONE_POOL, ONE_POOL.sub("6134", "40000")].map { |text| goal(text, "3.1.2") }

        assert_operator small, :<, large
      end

      test "the more a collection costs relative to a request, the fewer there are" do
        texts = [100, 650, 5000].map { |us| LIGHT.sub("minor_us=650", "minor_us=#{us}") }
        requests = texts.map { |text| Fit.new(Allocations.parse(text)).requests_per_collection }

        assert_equal requests.sort, requests
        assert_operator requests.first, :<, requests.last
        assert(requests.all? { |number| Fit::REQUESTS.cover?(number) })
      end

      private

      # Of each shape, and of random measurements, on each Ruby.
      def each_fit
        random = Random.new(SEED)
        measurements = SHAPES.map { |text| Allocations.parse(text) } + Array.new(300) { draw(random) }
        measurements.product(RUBIES).each do |facts, ruby|
          yield Fit.new(facts, ruby: ruby), "Ruby #{ruby}, seed #{SEED}: #{facts}"
        end
      end

      def draw(random)
        sizes = random.rand < 0.3 ? [40] : [40, 80, 160, 320, 640]
        Allocations.new(requests: random.rand(1..64), cpu_us: magnitude(random, 7), minor_us: magnitude(random, 5),
          malloc: magnitude(random, 9),
            pools: sizes.to_h { |size| [size, [magnitude(random, 6), magnitude(random, 7)]] })
      end

      # From 0 to so many digits, each number of digits as likely as any other.
      def magnitude(random, digits) = random.rand(10**random.rand(0..digits))

      # The same, but that requests take more.
      def grown(facts, random)
        pools = facts.pools.transform_values { |taken, live| [taken + magnitude(random, 6), live] }
        Allocations.new(**facts.to_h, malloc: facts.malloc + magnitude(random, 9), pools: pools)
      end

      # All values that leave more room when they are larger.
      def room(variables) = variables.sort.map { |_, value| Float(value) }

      def floors(text, ruby) = Fit.new(Allocations.parse(text), ruby: ruby).variables.keys.grep(/INIT_SLOTS/)

      def goal(text, ruby) = Float(Fit.new(Allocations.parse(text), ruby: ruby).variables.fetch(RATIOS[1]))
    end
  end
end
