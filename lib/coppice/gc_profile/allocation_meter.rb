# frozen_string_literal: true

require "coppice/gc_profile"
require "coppice/gc_profile/allocations"
require "coppice/version_order"

module Coppice
  module GCProfile
    # Measures what the requests of a worker allocate. Runs in the worker, after each request, until it has measured
    # ENOUGH of them. Takes some microseconds per request, and a few garbage collections at the end.
    class AllocationMeter
      ENOUGH = MEASURED_REQUESTS - SETTLED_REQUESTS
      COLLECTIONS = 3 # that are measured; the fastest counts
      SURVIVALS = 3 # collections that make an object old

      # skip: number of requests that are not measured, because the first ones fill caches.
      #: (?skip: Integer) -> void
      def initialize(skip: 0)
        @skip = skip
        start if skip.zero?
      end

      # Must be called after each request. Returns the measurement once it is complete, and nil before.
      #: () -> Allocations?
      def look
        return skip if @skip.positive?

        @requests += 1
        add_malloc
        add_objects
        note_counters
        measurement if @requests == ENOUGH
      end

      # The measurement so far; nil before the first request.
      #: () -> Allocations?
      def measurement
        return if @requests.zero?

        request_us = (cpu_us - @cpu_us) / @requests
        per_request = taken.to_h { |size, slots| [size, (slots - @taken.fetch(size, 0)) / @requests] }
        promoted = promoted_per_request
        minor_us = minor_collection_us
        in_use = live
        Allocations.new(requests: @requests, cpu_us: request_us, minor_us: minor_us, malloc: malloc,
                        promoted: promoted, largest: @largest,
                        pools: per_request.to_h { |size, slots| [size, [slots, in_use.fetch(size, 0)]] }).freeze
      end

      private

      def start
        @requests = @requests_without_gc = @malloc = @largest = @promoted = 0
        SURVIVALS.times { GC.start(full_mark: false) } # what earlier requests keep becomes old, and is not counted
        @cpu_us = cpu_us
        @taken = taken
        @live = GC.stat(:heap_live_slots)
        @young = young
        note_counters
        note_old_objects
      end

      def skip
        @skip -= 1
        start if @skip.zero?
        nil
      end

      # Adds what the last request has allocated with malloc. Each collection resets Ruby's counter, so a request with a
      # collection is left out.
      def add_malloc
        return unless GC.count == @collections

        @requests_without_gc += 1
        @malloc += [GC.stat(:malloc_increase_bytes) - @increase, 0].max
      end

      def add_objects
        @largest = [@largest, GC.stat(:total_allocated_objects) - @allocated].max
        add_promoted
      end

      # A major collection counts the old objects anew, step by step, and without those that have died. So what becomes
      # old in it is not known.
      def add_promoted
        @promoted += GC.stat(:old_objects) - @old unless @marking || GC.stat(:major_gc_count) > @majors
        note_old_objects
      end

      # Slots that requests keep: those that have become old, and those that have survived a collection and will. If
      # major collections hide many of them, the growth of the heap may tell more.
      def promoted_per_request
        GC.start(full_mark: false)
        add_promoted
        [@promoted + young - @young, GC.stat(:heap_live_slots) - @live, 0].max / @requests
      end

      # Slots in use that are not old; right after a collection, which has freed the garbage.
      def young = GC.stat(:heap_live_slots) - GC.stat(:old_objects)

      # Bytes per request. If every request has a collection, each allocates at least Ruby's limit.
      def malloc
        @requests_without_gc.zero? ? GC.stat(:malloc_increase_bytes_limit) : @malloc / @requests_without_gc
      end

      def note_counters
        @collections = GC.count
        @increase = GC.stat(:malloc_increase_bytes)
        @allocated = GC.stat(:total_allocated_objects)
      end

      def note_old_objects
        @old = GC.stat(:old_objects)
        @majors = GC.stat(:major_gc_count)
        @marking = GC.latest_gc_info(:state) == :marking
      end

      # The fastest counts. Only marking is measured, because it is what each collection costs: the time of the sweep
      # depends on the number of slots that are free or garbage, and each of them is swept once for each object that is
      # allocated in it, however rare collections are.
      def minor_collection_us
        Array.new(COLLECTIONS) do
          GC.start(full_mark: false)
          before = cpu_us
          GC.start(full_mark: false, immediate_sweep: false)
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

      # Slot size => the block's value for its pool; nil before Ruby 3.3, which counts all pools together.
      def pools
        return unless VersionOrder.at_least?(RUBY_VERSION, "3.3")

        GC.stat_heap.values.to_h { |pool| [pool[:slot_size], yield(pool)] }
      end

      def cpu_us = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :microsecond)
    end
  end
end
