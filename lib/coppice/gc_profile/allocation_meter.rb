# frozen_string_literal: true

require "coppice/gc_profile/allocations"
require "coppice/version_order"

module Coppice
  module GCProfile
    # Measures what some requests of a worker allocate. Runs in one worker, between requests, until it has seen enough
    # of them. Costs some microseconds after each request, and a few collections at the end.
    class AllocationMeter
      SETTLED = 100 # requests until a worker's allocations are in a steady state
      ENOUGH = 64 # requests
      COLLECTIONS = 3

      # skip: number of requests before the measurement starts, because the first ones fill caches.
      #: (?skip: Integer) -> void
      def initialize(skip: 0)
        @skip = skip
        @looks = @windows = @malloc = 0
        start
      end

      # To be called after each request. Answers the measurement once it is complete.
      #: () -> Allocations?
      def look
        return skip if @skip.positive?

        @looks += 1
        look_at_malloc
        open_window
        measurement if @looks == ENOUGH
      end

      # The measurement so far; nil before the first request.
      #: () -> Allocations?
      def measurement
        return if @looks.zero?

        request_us = (cpu_us - @cpu_us) / @looks
        per_request = taken.to_h { |size, slots| [size, (slots - @taken.fetch(size, 0)) / @looks] }
        minor_us = minor_collection_us
        in_use = live
        Allocations.new(requests: @looks, cpu_us: request_us, minor_us: minor_us, malloc: malloc,
                        pools: per_request.to_h { |size, slots| [size, [slots, in_use.fetch(size, 0)]] }).freeze
      end

      private

      def start
        @cpu_us = cpu_us
        @taken = taken
        open_window
      end

      def skip
        @skip -= 1
        start if @skip.zero?
        nil
      end

      # Ruby resets the counter in each collection, so only requests without one count.
      def look_at_malloc
        return unless GC.count == @collections

        @windows += 1
        @malloc += [GC.stat(:malloc_increase_bytes) - @increase, 0].max
      end

      # When every request has a collection, each allocates at least Ruby's limit.
      def malloc = @windows.zero? ? GC.stat(:malloc_increase_bytes_limit) : @malloc / @windows

      def open_window
        @collections = GC.count
        @increase = GC.stat(:malloc_increase_bytes)
      end

      # The minimum, because the first collection frees the last request's garbage.
      def minor_collection_us
        Array.new(COLLECTIONS) do
          before = cpu_us
          GC.start(full_mark: false)
          cpu_us - before
        end.min
      end

      def taken
        pools { |pool| pool[:total_allocated_objects] } || { 40 => GC.stat(:total_allocated_objects) }
      end

      def live
        in_use = pools { |pool| pool[:total_allocated_objects] - pool[:total_freed_objects] }
        in_use || { 40 => GC.stat(:heap_live_slots) }
      end

      # By slot size; nil before Ruby 3.3, which counts all pools together.
      def pools
        return unless VersionOrder.at_least?(RUBY_VERSION, "3.3")

        GC.stat_heap.values.to_h { |pool| [pool[:slot_size], yield(pool)] }
      end

      def cpu_us = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)
    end
  end
end
