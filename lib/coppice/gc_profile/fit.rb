# frozen_string_literal: true

require "coppice/version_order"

module Coppice
  module GCProfile
    # Computes garbage collector parameters from the measured allocations of an application. Has no side effects.
    #
    # Most of a worker's private memory is the space in which its requests allocate garbage until the next minor
    # collection. Ruby's own parameters make that space a share of the whole heap: 40 %, however little a request
    # allocates. Space for a few requests is enough. Their number is a trade-off with CPU time: each collection costs
    # something even when it frees nothing, so a smaller space means more collections.
    class Fit
      CPU_SHARE = 0.02 # maximum share of a request's CPU time that the more frequent collections may cost
      # The cost of a collection in a working application, without freeing garbage, relative to a collection that finds
      # none: it also marks the request in flight, and the young objects that old ones refer to. Measured on the example
      # shop, on Ruby 3.1 and 3.4: 2.5 to 3.
      COLLECTION_COST = 2.5
      REQUESTS = (6..64).freeze # between two minor collections
      GOALS = (0.06..0.40).freeze # free slots after a collection; Ruby's own is 0.40
      MALLOC_LIMIT = (8 << 20..16 << 20).freeze # bytes until a minor collection; Ruby's own begins with 16 MiB
      SLOTS = [40, 80, 160, 320, 640].freeze # RUBY_GC_HEAP_<index>_INIT_SLOTS, from Ruby 3.3 on

      #: (Allocations, ?ruby: String) -> void
      def initialize(measurement, ruby: RUBY_VERSION)
        @measurement = measurement
        @ruby = ruby
      end

      # Number of requests between two minor collections.
      #: () -> Integer
      def requests_per_collection
        collection_us = COLLECTION_COST * @measurement.minor_us
        allowed_us = CPU_SHARE * [@measurement.cpu_us, 1].max
        (collection_us / allowed_us).ceil.clamp(REQUESTS.min, REQUESTS.max)
      end

      # Names and values of environment variables.
      #: () -> Hash[String, String]
      def variables
        { **ratios, **initial_slots, **malloc_limits }
      end

      private

      # With a minimum size for each pool, one share for all pools together is enough; without, the pool that needs most
      # decides.
      def ratios
        pools = @measurement.pools.values
        pools = [pools.transpose.map(&:sum)] if initial_slots?
        GCProfile.ratios(pools.map { |taken, live| share(taken, live) }.max.to_f.clamp(GOALS.min, GOALS.max))
      end

      def share(taken, live) = space(taken).fdiv([live + space(taken), 1].max)

      def initial_slots
        return {} unless initial_slots?

        @measurement.pools.to_h do |size, (taken, live)|
          slots = [live + space(taken), 1].max.ceil(-2) # at least 1: Ruby takes 0 for 10,000
          ["RUBY_GC_HEAP_#{SLOTS.index(size)}_INIT_SLOTS", slots.to_s]
        end
      end

      def space(taken) = taken * requests_per_collection

      def initial_slots?
        VersionOrder.at_least?(@ruby, "3.3") && @measurement.pools.keys.all? { |size| SLOTS.include?(size) }
      end

      # The bytes that malloc has handed out trigger collections as well: without a limit that fits, too early or too
      # late.
      def malloc_limits
        limit = (@measurement.malloc * requests_per_collection).clamp(MALLOC_LIMIT.min, MALLOC_LIMIT.max)
        { "RUBY_GC_MALLOC_LIMIT" => limit.to_s, "RUBY_GC_MALLOC_LIMIT_MAX" => (limit * 3 / 2).to_s }
      end
    end
  end
end
