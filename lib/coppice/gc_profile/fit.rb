# frozen_string_literal: true

require "coppice/gc_profile"

module Coppice
  module GCProfile
    # Computes garbage collector parameters from the measured allocations of an application. Has no side effects.
    #
    # Most of a worker's private memory is the space in which its requests allocate garbage until the next minor
    # collection. Ruby's own parameters make that space a share of the whole heap: 40 %, however little a request
    # allocates. Space for a few requests is enough. Their number is a trade-off: with space for k requests, a request
    # pays a k-th of a collection, and holds the memory of k requests for as long as it runs. The sum is smallest where
    # both cost the same.
    #
    #   collection [us] / k = k × memory of a request [GiB] × memory_price [cores per GiB] × CPU time of a request [us]
    class Fit
      # Relative to minor_us: a major collection marks all objects, a minor one those that are new. Measured: 50 to 200.
      MAJOR_COST = 75.0
      ABOVE_MINIMUM = 0.5 # part of the space that may be full before Ruby makes a major collection
      # Requests of one worker between two major collections, at least: each takes tens of milliseconds, so with fewer
      # they would be what the slowest requests wait for.
      MAJOR_REQUESTS = 200
      # Between two minor collections. With fewer, the minimum is less than a request takes: the heap does not grow, and
      # a request has several collections.
      FEWEST_REQUESTS = 2
      LARGEST_REQUESTS = 1.1 # that fit into the space
      GIB = (1 << 30).to_f
      GOALS = (0.04..0.40).freeze # free slots after a collection; Ruby's own is 0.40
      MALLOC_LIMIT = (8 << 20..16 << 20).freeze # bytes until a minor collection; Ruby's own starts at 16 MiB

      # price: the setting memory_price.
      #: (Allocations, price: Numeric) -> void
      def initialize(measurement, price:)
        @measurement = measurement
        @price = price
      end

      # Number of requests between two minor collections.
      #: () -> Integer
      def requests_per_collection
        [[[cheapest, for_old_objects].max, most].min, for_largest, FEWEST_REQUESTS].max.ceil
      end

      # Names and values of environment variables.
      #: () -> Hash[String, String]
      def variables
        { **GCProfile.ratios(goal), **malloc_limits }
      end

      private

      def cheapest
        gib = @measurement.bytes_per_request / GIB
        Math.sqrt(collection_us / [gib * @price * @measurement.cpu_us, Float::MIN].max)
      end

      # CPU time of a minor collection, and its share of the next major one: that comes when the space above the minimum
      # is full of objects that became old.
      def collection_us
        @measurement.minor_us * (1 + (promoted_share * MAJOR_COST / ABOVE_MINIMUM))
      end

      # So many that the objects which become old do not fill the space above the minimum before MAJOR_REQUESTS.
      def for_old_objects = MAJOR_REQUESTS * promoted_share / ABOVE_MINIMUM

      def promoted_share = share_of_request(@measurement.promoted).clamp(0.0, 1.0)

      # So many that they take the largest share of the heap that a goal may be.
      def most = live * GOALS.max / (1 - GOALS.max) / [@measurement.slots_per_request, 1].max

      # The largest request would otherwise have several collections.
      def for_largest = share_of_request(@measurement.largest) * LARGEST_REQUESTS

      def share_of_request(slots) = slots.fdiv([@measurement.slots_per_request, 1].max)

      # One share for the pools of all slot sizes. A pool that needs more than this share grows until it has it.
      def goal
        space = @measurement.slots_per_request * requests_per_collection
        space.fdiv([live + space, 1].max).clamp(GOALS.min, GOALS.max)
      end

      def live = @measurement.pools.sum { |_, (_, slots)| slots }

      # Allocating enough bytes with malloc also triggers a collection. Without a fitted limit this would happen too
      # early or too late.
      def malloc_limits
        limit = (@measurement.malloc * requests_per_collection).clamp(MALLOC_LIMIT.min, MALLOC_LIMIT.max)
        { "RUBY_GC_MALLOC_LIMIT" => limit.to_s, "RUBY_GC_MALLOC_LIMIT_MAX" => (limit * 3 / 2).to_s }
      end
    end
  end
end
