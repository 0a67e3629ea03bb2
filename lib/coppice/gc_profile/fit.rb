# frozen_string_literal: true

require "coppice/version_order"

module Coppice
  module GCProfile
    # The parameters of Ruby's garbage collector that fit what was measured of an application. Pure.
    #
    # A worker's private memory is, for the most part, the room in which its requests make garbage until the next minor
    # collection, and Ruby's own parameters make that room a share of the whole heap: 40 %, however little a request
    # needs. The right size is that of a few requests. How few is a matter of CPU time: each collection costs something
    # even when it has nothing to free, and that is the price of a smaller room.
    class Fit
      PRICE = 0.02 # of a request's CPU time may go into collections being as frequent as they are
      # What a collection costs beside freeing garbage, to one that finds none: it also meets the request in flight, and
      # what old objects have come to refer to. Measured on the shop, on Ruby 3.1 and 3.4: 2.5 to 3.
      BURDEN = 2.5
      REQUESTS = (6..64).freeze # between two collections
      GOALS = (0.06..0.40).freeze # free slots after a collection; Ruby's own is 0.40
      MALLOC_LIMIT = (8 << 20..16 << 20).freeze # bytes until a minor collection; Ruby's own begins with 16 MiB
      SLOTS = [40, 80, 160, 320, 640].freeze # RUBY_GC_HEAP_<index>_INIT_SLOTS, from Ruby 3.3 on

      #: (Allocations, ?ruby: String) -> void
      def initialize(measurement, ruby: RUBY_VERSION)
        @measurement = measurement
        @ruby = ruby
      end

      # How many requests there should be between two minor collections.
      #: () -> Integer
      def requests_per_collection
        (BURDEN * @measurement.minor_us / (PRICE * [@measurement.cpu_us, 1].max)).ceil.clamp(REQUESTS.min, REQUESTS.max)
      end

      # Names of environment variables, with their values.
      #: () -> Hash[String, String]
      def variables
        { **ratios, **floors, **malloc_limits }
      end

      private

      # With a floor for each pool, the share can be that of all of them together; without, it must do for the neediest.
      def ratios
        pools = @measurement.pools.values
        pools = [pools.transpose.map(&:sum)] if floors?
        GCProfile.ratios(pools.map { |taken, live| share(taken, live) }.max.to_f.clamp(GOALS.min, GOALS.max))
      end

      def share(taken, live) = room(taken).fdiv([live + room(taken), 1].max)

      def floors
        return {} unless floors?

        @measurement.pools.to_h do |size, (taken, live)|
          ["RUBY_GC_HEAP_#{SLOTS.index(size)}_INIT_SLOTS", [live + room(taken), 1].max.ceil(-2).to_s] # for 0 Ruby takes 10,000
        end
      end

      def room(taken) = taken * requests_per_collection

      def floors? = VersionOrder.at_least?(@ruby, "3.3") && @measurement.pools.keys.all? { |size| SLOTS.include?(size) }

      # malloc's buffers count as well: without a limit of their own they would call for a collection sooner, or later.
      def malloc_limits
        limit = (@measurement.malloc * requests_per_collection).clamp(MALLOC_LIMIT.min, MALLOC_LIMIT.max)
        { "RUBY_GC_MALLOC_LIMIT" => limit.to_s, "RUBY_GC_MALLOC_LIMIT_MAX" => (limit * 3 / 2).to_s }
      end
    end
  end
end
