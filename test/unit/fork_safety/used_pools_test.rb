# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/fork_safety/used_pools"

module Coppice
  module ForkSafety
    class UsedPoolsTest < TestCase
      # In the place of Active Record's. Its connection is opened when it is first used.
      class Pool
        attr_reader :pool_config, :lent

        def initialize(pool_config, down: false)
          @pool_config = pool_config
          @down = down
        end

        def connected? = !!@connected

        def with_connection
          @lent = true
          yield self
        ensure
          @lent = false
        end

        def verify!
          raise "connection refused" if @down

          @connected = true
        end
      end

      def setup
        @configs = Array.new(3) { |number| "shard #{number}".dup }
        @calls = UsedPools.new { @pools }.calls
        @pools = make_pools
      end

      test "a copy connects with the pools that were in use, and puts the connections back" do
        @pools.values_at(0, 2).each(&:verify!)
        reconnect

        assert_equal [true, false, true], @pools.map(&:connected?)
        refute @pools.any?(&:lent)
      end

      test "a copy of a process that used none connects with none, and does not ask for them" do
        @calls[:before_promotion].call
        @pools = nil

        assert_nil @calls[:before_ready].call
      end

      test "what the next promoted worker does not use is not connected again" do
        @pools.each(&:verify!)
        reconnect
        @pools = make_pools
        @pools[1].verify!
        reconnect

        assert_equal [false, true, false], @pools.map(&:connected?)
      end

      test "a pool whose configuration was replaced belongs to the application" do
        @pools[0].verify!
        @configs[0] = @configs[0].dup
        reconnect

        refute_predicate @pools[0], :connected?
      end

      test "a database that cannot be reached does not keep the others from being connected" do
        @pools.each(&:verify!)
        error = assert_raises(RuntimeError) { reconnect(down: 0) }

        assert_equal "connection refused", error.message
        assert_equal [false, true, true], @pools.map(&:connected?)
        refute @pools.any?(&:lent)
      end

      private

      def make_pools(down: nil)
        @configs.each_with_index.map { |config, number| Pool.new(config, down: number == down) }
      end

      # As after a fork: the pools are others, and nothing is connected.
      def reconnect(**options)
        @calls[:before_promotion].call
        @pools = make_pools(**options)
        @calls[:before_ready].call
      end
    end
  end
end
