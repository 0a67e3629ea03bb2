# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/tools/cold/fork"
require "coppice/gc_profile/allocation_meter"

module Coppice
  module GCProfile
    # In processes of their own: what the tests' own process allocates beside is none of theirs.
    class MeterTest < TestCase
      OBJECTS = 1000
      BYTES = 100_000

      test "what requests take is counted, in the pool that has it" do
        measured = measure { Array.new(OBJECTS) { Object.new } }

        assert_equal AllocationMeter::ENOUGH, measured.requests
        assert_includes OBJECTS..(OBJECTS + 50), measured.pools.fetch(40).first
        assert_operator measured.pools.fetch(40).last, :>, OBJECTS
        assert_operator measured.minor_us, :>, 0
      end

      test "objects of another size are counted apart" do
        skip "before Ruby 3.3 it does not tell its pools apart" unless VersionOrder.at_least?(RUBY_VERSION, "3.3")
        measured = measure { Array.new(OBJECTS) { "x" * 100 } }

        assert_includes OBJECTS..(OBJECTS + 50), measured.pools.fetch(160).first
        assert_operator measured.pools.fetch(40).first, :<, 50
      end

      test "before the requests that it skips it collects nothing" do
        GC.disable
        before = GC.count
        AllocationMeter.new(skip: 1)

        assert_equal before, GC.count
      ensure
        GC.enable
      end

      test "the largest request is known" do
        measured = measure { |number| Array.new(number == 5 ? OBJECTS * 3 : OBJECTS) { Object.new } }

        assert_includes (OBJECTS * 3)..((OBJECTS * 3) + 100), measured.largest
      end

      test "what requests keep until it is old is counted, and garbage is not" do
        kept = []
        keeping = measure { kept.concat(Array.new(OBJECTS) { Object.new }) }
        forgetting = measure { Array.new(OBJECTS) { Object.new } }

        assert_in_delta OBJECTS, keeping.promoted, OBJECTS / 5
        assert_operator forgetting.promoted, :<, OBJECTS / 5
      end

      test "what is kept in the place of something older is counted, also if a major collection comes" do
        [nil, 20, AllocationMeter::ENOUGH - 1].each do |major_after|
          promoted = (1..3).lazy.map { promoted_by_replacing(major_after) }.find { |objects| objects >= OBJECTS / 8 }

          assert promoted, "#{major_after}: always fewer"
          assert_in_delta OBJECTS, promoted, OBJECTS, major_after.to_s
        end
      end

      # Major collections that Ruby adds itself may hide all of it for once.
      def promoted_by_replacing(major_after)
        kept = Array.new(10) { Array.new(OBJECTS) { Object.new } }
        replacing = measure do |number|
          kept[number % kept.size] = Array.new(OBJECTS) { Object.new }
          GC.start if number == major_after
        end
        replacing.promoted
      end

      test "what they ask of malloc is counted" do
        assert_in_delta BYTES, measure { "x" * BYTES }.malloc, BYTES / 10
      end

      test "where each runs into a collection, malloc is what Ruby lets them have" do
        limit = Integer(GC.stat(:malloc_increase_bytes_limit))
        measured = measure do
          GC.start
          "x" * BYTES
        end

        assert_operator measured.malloc, :>=, limit / 2
      end

      test "the first requests are not looked at" do
        measured = measure(skip: 10) { |number| Array.new(number < 10 ? OBJECTS * 100 : OBJECTS) { Object.new } }

        assert_includes OBJECTS..(OBJECTS + 50), measured.pools.fetch(40).first
      end

      test "what was seen so far can be had at any time; before that there is nothing" do
        seen = Cold::Fork.new(60).call do
          meter = AllocationMeter.new
          before = meter.measurement
          meter.look
          [before, meter.measurement.requests]
        end

        assert_equal [nil, 1], seen
      end

      private

      # Yields the number of each request until there is a measurement.
      def measure(skip: 0)
        text = Cold::Fork.new(60).call do
          meter = AllocationMeter.new(skip: skip)
          (0..).each do |number|
            yield number
            found = meter.look
            break found.to_s if found
          end
        end
        Allocations.parse(text)
      end
    end
  end
end
