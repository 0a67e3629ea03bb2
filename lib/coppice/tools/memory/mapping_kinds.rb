# frozen_string_literal: true

module Coppice
  module Memory
    # Classifies the mappings of a process by use. Ruby 3.4 and newer name their mappings if the kernel was built with
    # CONFIG_ANON_VMA_NAME. A mapping without a name is classified by its address, its size and its neighbours. If they
    # do not tell, its kind is `other`. docs/memory.md says how reliable this is.
    class MappingKinds
      # Kind => its label, in the order of the reports.
      NAMES = {
        gc_heap: "GC heap",
        v8: "V8 heap",
        malloc: "malloc",
        other: "anonymous",
        jit: "JIT code",
        stacks: "stacks",
        libraries: "libraries",
        files: "files"
      }.freeze

      # Beginnings of the names of mappings, the more specific first. glibc names its own with the tunable
      # glibc.mem.decorate_maps.
      PREFIXES = {
        "[heap]" => :malloc,
        "[stack" => :stacks,
        "[v" => :libraries, # [vdso], [vvar], [vsyscall]: kernel code mapped into all processes
        "[anon:Ruby:GC:" => :gc_heap,
        "[anon:Ruby:rb_yjit" => :jit, # 3.4; then rb_jit, rb_zjit
        "[anon:Ruby:rb_jit" => :jit,
        "[anon:Ruby:rb_zjit" => :jit,
        "[anon:Ruby:rjit" => :jit,
        "[anon:Ruby:fiber_pool" => :stacks,
        "[anon:Ruby:nt_alloc_thread_stack" => :stacks,
        "[anon: glibc: pthread stack" => :stacks,
        "[anon: glibc: malloc" => :malloc,
        "[anon:jemalloc" => :malloc
      }.freeze

      # With these allocators alignment does not tell: they align their memory like the pages of Ruby's heap.
      ALLOCATORS = /lib(?:jemalloc|tcmalloc|mimalloc)/

      # V8, in the library of the gem mini_racer or of its own, takes its heap in pages of this size, each at a multiple
      # of it. Objects that are larger than a page stay in `other`.
      V8 = %r{/(?:mini_racer_extension\.so|libv8[^/]*\.so)}
      V8_PAGE_KIB = 256

      # What is in `other` then, unless the kernel has its name.
      HIDDEN = [:gc_heap, :malloc].freeze

      # In glibc each arena except the main one is within a region of this size, which is aligned to its size.
      ARENA_BYTES = 64 * 1024 * 1024

      # A mapping after a guard page is a stack if it is not larger: a larger one was merged with a neighbour.
      STACK_KIB = 8 * 1024
      GUARD_KIB = 64

      # Ruby's heap pages are aligned to their size.
      PAGE_BYTES = 64 * 1024
      PAGE_BYTES_BEFORE_3_2 = 16 * 1024

      # All mappings of a process, in the order of their addresses.
      #: (Array[Mapping]) -> void
      def initialize(mappings)
        @mappings = mappings
        names = mappings.map(&:name).uniq
        @code = mappings.select { |mapping| mapping.file? && mapping.executable? }.map(&:name).uniq
        @allocator = names.any? { |name| ALLOCATORS.match?(name) }
        @v8 = names.any? { |name| V8.match?(name) }
        @aligned_is_ruby = !@allocator && names.none? { |name| name.start_with?("[anon:Ruby:GC:") }
        old_ruby = names.any? { |name| name.match?(%r{ruby(?:[-/]|\.so\.)?[23]\.[01]\b}) }
        @page_bytes = old_ruby ? PAGE_BYTES_BEFORE_3_2 : PAGE_BYTES
      end

      # Kind => its mappings, without those that only reserve addresses.
      #: () -> Hash[Symbol, Array[Mapping]]
      def to_h
        found = [nil, *@mappings, nil].each_cons(3).reject { |_, mapping, _| mapping.reserved? }
                                      .group_by { |before, mapping, after| kind(mapping, before, after) }
        NAMES.keys.to_h { |kind| [kind, (found[kind] || []).map { |_, mapping, _| mapping }] }
      end

      # Whether the process has memory of this kind that cannot be told from `other`, where none was found.
      #: (Symbol) -> bool
      def hidden?(kind) = @allocator && HIDDEN.include?(kind)

      private

      def kind(mapping, before, after)
        if mapping.file? then @code.include?(mapping.name) || mapping.name.match?(/\.so\b/) ? :libraries : :files
        elsif mapping.unnamed? then by_shape(mapping, before, after)
        else by_name(mapping.name)
        end
      end

      # An allocator may take a part of its memory at [heap]: as the sum of malloc it would be misleading.
      def by_name(name)
        return :other if @allocator && name == "[heap]"

        PREFIXES.find { |prefix, _| name.start_with?(prefix) }&.last || :other
      end

      def by_shape(mapping, before, after)
        if mapping.executable? then :jit
        elsif !@allocator && arena?(mapping, after) then :malloc
        elsif guarded?(mapping, before) then :stacks
        elsif v8_page?(mapping) then :v8
        elsif ruby_pages?(mapping) then :gc_heap
        else :other
        end
      end

      def arena?(mapping, after)
        return false unless (mapping.start % ARENA_BYTES).zero? && mapping.kib * 1024 <= ARENA_BYTES

        rest = after if after&.reserved? && after.start == mapping.finish
        ((rest || mapping).finish % ARENA_BYTES).zero?
      end

      # A stack has a guard page before it.
      def guarded?(mapping, before)
        before&.reserved? && before.finish == mapping.start && before.kib <= GUARD_KIB && mapping.kib <= STACK_KIB
      end

      def v8_page?(mapping) = @v8 && mapping.kib == V8_PAGE_KIB && mapping.aligned?(V8_PAGE_KIB * 1024)

      # Ruby writes to a whole heap page when it creates it. A mapping that is mostly untouched is memory reserved for
      # later use, such as the table of object shapes.
      def ruby_pages?(mapping)
        @aligned_is_ruby && mapping.writable? && mapping.aligned?(@page_bytes) && mapping.touched_kib * 2 >= mapping.kib
      end
    end
  end
end
