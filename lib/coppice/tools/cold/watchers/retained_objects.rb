# frozen_string_literal: true

require "objspace"

module Coppice
  module Cold
    # The objects that were allocated between `start` and `settle` and are alive at `stop`, by the line that allocated
    # them. Between `settle` and `stop` the path is played again, which releases what is retained only until the next
    # request.
    #
    # Allocations are traced until `stop`: otherwise a new object at the address of a freed one would be reported with
    # the line of the freed one. The number of the garbage collection tells which objects are older than `settle`.
    class RetainedObjects
      # type: the class with most of the bytes.
      Site = Struct.new(:file, :line, :type, :objects, :bytes, keyword_init: true)

      CLASS = Kernel.instance_method(:class) # a BasicObject does not have this method
      NAME = Module.instance_method(:name)
      OWN_CODE = File.expand_path("../../..", __dir__).b.freeze # binary, as the paths of ObjectSpace

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
        sites = @sites.values.map { |found| site(**found) }
        sites.sort_by { |site| [-site.bytes, -site.objects, site.file, site.line] }
      end

      # The bytes of the retained objects that can be reached from an object: what it keeps alive.
      #: (untyped) -> Integer
      def bytes_behind(object)
        bytes = 0
        seen = {}.compare_by_identity
        waiting = [object]
        until waiting.empty?
          found = waiting.pop
          next if seen[found] || !retained?(found)

          seen[found] = true
          bytes += bytes_of(found)
          waiting.concat(ObjectSpace.reachable_objects_from(found))
        end
        bytes
      end

      private

      def collect
        sites = {}
        ObjectSpace.each_object { |object| count(object, sites) if retained?(object) }
        sites
      end

      def retained?(object)
        collection = ObjectSpace.allocation_generation(object)
        return false unless collection && collection <= @last_collection

        !ObjectSpace.allocation_sourcefile(object)&.start_with?(OWN_CODE)
      end

      def count(object, sites)
        file = ObjectSpace.allocation_sourcefile(object).to_s
        line = ObjectSpace.allocation_sourceline(object).to_i
        bytes = bytes_of(object)
        found = sites[[file, line]] ||= { file: file, line: line, types: Hash.new(0), objects: 0, bytes: 0 }
        found[:types][CLASS.bind_call(object)] += bytes
        found[:objects] += 1
        found[:bytes] += bytes
      end

      # A thread's size includes its whole stack, most of which is never touched.
      def bytes_of(object)
        Thread === object ? 0 : ObjectSpace.memsize_of(object) # a BasicObject has no is_a?
      end

      def site(types:, **found)
        Site.new(type: NAME.bind_call(types.max_by(&:last).first) || "of a class without a name", **found)
      end
    end
  end
end
