# frozen_string_literal: true

require "objspace"
require "coppice/memory/mapping_kinds"
require "coppice/memory/smaps"

module Coppice
  module Cold
    # The objects that were allocated between `start` and `settle` and are alive at `stop`, by the line that allocated
    # them. What happens between `settle` and `stop` has the chance to let go of what only the latest request holds.
    #
    # Allocations are watched to the end, for an object that is freed while nobody watches would leave its line to the
    # next one at its address. The number of the garbage collection tells which are from before `settle`.
    class RetainedObjects
      # type: the class that most of the bytes belong to.
      Site = Struct.new(:file, :line, :type, :objects, :bytes, keyword_init: true)

      CLASS = Kernel.instance_method(:class) # a BasicObject has none of its own
      NAME = Module.instance_method(:name)
      OWN_CODE = File.expand_path("../..", __dir__)

      def start #: () -> void
        GC.start
        ObjectSpace.trace_object_allocations_start
      end

      def settle #: () -> void
        @last_collection = GC.count
        GC.start
      end

      def stop #: () -> void
        GC.start
        ObjectSpace.trace_object_allocations_stop
        @sites = collect
      end

      # The largest first.
      def sites #: () -> Array[Site]
        @sites.values.map { |found| site(**found) }.sort_by { |site| [-site.bytes, -site.objects, site.file, site.line] }
      end

      # Of those that can be reached from an object through each other: what it keeps alive.
      #: (untyped) -> Integer
      def bytes_behind(object)
        bytes = 0
        seen = {}.compare_by_identity
        waiting = [object]
        until waiting.empty?
          found = waiting.pop
          next if seen[found] || !of_the_time?(found)

          seen[found] = true
          bytes += bytes_of(found)
          waiting.concat(ObjectSpace.reachable_objects_from(found))
        end
        bytes
      end

      private

      def collect
        sites = {}
        ObjectSpace.each_object { |object| count(object, sites) if of_the_time?(object) }
        sites
      end

      def of_the_time?(object)
        collection = ObjectSpace.allocation_generation(object)
        collection && collection <= @last_collection && !ObjectSpace.allocation_sourcefile(object)&.start_with?(OWN_CODE)
      end

      def count(object, sites)
        place = { file: ObjectSpace.allocation_sourcefile(object).to_s, line: ObjectSpace.allocation_sourceline(object).to_i }
        bytes = bytes_of(object)
        found = sites[place] ||= { **place, types: Hash.new(0), objects: 0, bytes: 0 }
        found[:types][CLASS.bind_call(object)] += bytes
        found[:objects] += 1
        found[:bytes] += bytes
      end

      # A thread counts the whole of its stack, most of which is never touched.
      def bytes_of(object)
        Thread === object ? 0 : ObjectSpace.memsize_of(object) # a BasicObject has no is_a?
      end

      def site(types:, **found)
        Site.new(type: NAME.bind_call(types.max_by(&:last).first) || "of a class without a name", **found)
      end
    end

    # The memory of this process that no other one shares, at one instant. Right after a fork there is next to none;
    # what a play adds is what each worker would pay for by itself.
    class PrivateMemory
      # Only reads: to understand what the kernel says takes memory, and has time until the plays are over.
      def initialize
        @text = File.binread("/proc/self/smaps")
      end

      # By how much each kind has grown since an earlier instant, in KiB. Kinds that stayed are left out.
      #: (PrivateMemory) -> Hash[Symbol, Integer]
      def growth_since(earlier)
        before = earlier.by_kind
        by_kind.to_h { |kind, kib| [kind, kib - before.fetch(kind)] }.reject { |_, kib| kib.zero? }
      end

      protected

      def by_kind
        @by_kind ||= Memory::MappingKinds.new(Memory::Smaps.parse(@text)).to_h.transform_values do |mappings|
          mappings.sum { |mapping| mapping.sizes.private }
        end
      end
    end
  end
end
