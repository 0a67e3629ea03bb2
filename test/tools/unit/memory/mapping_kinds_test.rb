# frozen_string_literal: true

require "test_helper"
require "coppice/tools/memory/mapping_kinds"
require_relative "../../../support/recorded_memory"

module Coppice
  module Memory
    class MappingKindsTest < TestCase
      KIB = 1024
      MIB = 1024 * 1024
      AT = 0x7f00_0000_0000

      test "the heap of Ruby 3.4 is recognized by the shape of its mappings" do
        kinds = recorded("ruby-3.4-yjit")
        assert_equal 93, kinds[:gc_heap].size
        assert_equal 37_568, kib(kinds[:gc_heap])
      end

      test "the heap of Ruby 3.1 has smaller pages" do
        kinds = recorded("ruby-3.1")
        assert_equal 29_172, kib(kinds[:gc_heap])
        refute(kinds[:gc_heap].all? { |mapping| mapping.aligned?(64 * KIB) })
      end

      test "executable memory without a file is JIT code" do
        assert_equal 236, kib(recorded("ruby-3.4-yjit")[:jit])
        assert_empty recorded("ruby-3.1")[:jit]
      end

      test "stacks, libraries and files of a recorded worker" do
        kinds = recorded("ruby-3.4-yjit")
        assert_equal 1, kinds[:stacks].count { |mapping| mapping.name == "[stack]" }
        assert_operator kinds[:stacks].size, :>, 30
        assert(kinds[:libraries].any? { |mapping| mapping.name.end_with?("bin/ruby") && !mapping.executable? })
        assert_includes kinds[:files].map(&:name), "/memfd:coppice-board (deleted)"
      end

      test "every mapping that can hold memory has one kind" do
        RecordedMemory::NAMES.each do |name|
          mappings = RecordedMemory.mappings(name)
          assert_equal mappings.reject(&:reserved?).map(&:start),
            MappingKinds.new(mappings).to_h.values.flatten.map(&:start).sort
        end
      end

      test "the version of Ruby is recognized by its paths" do
        half = mapping(start: AT + (16 * KIB), kib: 16)
        { "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1.2" => :gc_heap, "/usr/local/lib/libruby.so.3.1.7" => :gc_heap,
          "/root/.rbenv/versions/3.1.4/lib/ruby/3.1.0/stringio.so" => :gc_heap,
          "/opt/rubies/ruby-3.1.4/bin/ruby" => :gc_heap,
          "/usr/local/lib/libruby.so.3.4.5" => :other,
          "/usr/local/lib/ruby/3.4.0/stringio.so" => :other }.each do |name, kind|
          assert_equal kind, kind_of(half, mapping(start: AT + MIB, name: name, permissions: "r-xp")), name
        end
      end

      test "named mappings are classified by their names" do
        names = { "[anon:Ruby:GC:default:heap_page_body_allocate]" => :gc_heap,
                  "[anon:Ruby:rb_yjit_reserve_addr_space]" => :jit,
                  "[anon:Ruby:rb_jit_reserve_addr_space]" => :jit, "[anon:Ruby:fiber_pool_allocate_memory]" => :stacks,
                  "[anon:Ruby:Init_default_shapes:shape_list]" => :other, "[heap]" => :malloc, "[vdso]" => :libraries }
        names.each { |name, kind| assert_equal kind, kind_of(mapping(name: name)), name }
      end

      test "beside named mappings an aligned mapping without a name is not Ruby's" do
        named = mapping(start: AT + MIB, name: "[anon:Ruby:GC:default:heap_page_body_allocate]")
        assert_equal :other, kind_of(mapping, named)
      end

      test "beside another allocator an aligned mapping is not attributed to Ruby" do
        library = mapping(start: AT + MIB, name: "/usr/lib/libjemalloc.so.2", permissions: "r-xp")
        assert_equal :gc_heap, kind_of(mapping)
        assert_equal :other, kind_of(mapping, library)
        assert_equal :other, kind_of(mapping(name: "[heap]"), library)
        hidden = MappingKinds::NAMES.keys.select { |kind| MappingKinds.new([library]).hidden?(kind) }

        assert_equal [:gc_heap, :malloc], hidden
        refute MappingKinds.new([mapping]).hidden?(:gc_heap)
      end

      test "an aligned mapping that is mostly untouched is not a Ruby heap page" do
        assert_equal :other, kind_of(mapping(kib: 1024, rss: 511))
        assert_equal :gc_heap, kind_of(mapping(kib: 1024, rss: 100, swap: 412))
      end

      test "an arena of malloc fills the rest of its region" do
        arena = mapping(start: 64 * MIB, kib: 132)
        assert_equal :malloc,
          kind_of(arena, mapping(start: arena.finish, kib: (64 * KIB) - 132, permissions: "---p", rss: 0))
        assert_equal :other, kind_of(arena)
      end

      test "a stack has a guard before it" do
        guard = mapping(kib: 4, permissions: "---p", rss: 0)
        assert_equal :stacks, kind_of(mapping(start: guard.finish, kib: 640), guard)
        assert_equal :other, kind_of(mapping(start: guard.finish, kib: 8196), guard)
        assert_equal :other, kind_of(mapping(start: guard.finish + 4096, kib: 640), guard)
      end

      test "a page of V8's heap is recognized where V8 is loaded" do
        page = mapping(kib: 256, rss: 12)
        extension = mapping(start: AT + MIB, name: "/gems/mini_racer-0.22.2/mini_racer_extension.so")
        library = mapping(start: AT + MIB, name: "/usr/lib/libv8.so.9", permissions: "r-xp")

        assert_equal %i[v8 v8 other], [kind_of(page, extension), kind_of(page, library), kind_of(page)]
        assert_equal :gc_heap, kind_of(mapping(kib: 256))
        assert_equal :other, kind_of(mapping(start: AT + (64 * KIB), kib: 256, rss: 12), extension)
        assert_equal :gc_heap, kind_of(mapping(kib: 64), extension)
      end

      private

      def recorded(name) = MappingKinds.new(RecordedMemory.mappings(name)).to_h

      def kib(mappings) = mappings.sum { |mapping| mapping.sizes.rss }

      # The kind of the first, among all of them.
      def kind_of(*mappings)
        kinds = MappingKinds.new(mappings.sort_by(&:start)).to_h
        kinds.find { |_, found| found.include?(mappings.first) }.first
      end

      def mapping(start: AT, kib: 64, permissions: "rw-p", name: "", rss: kib, swap: 0)
        sizes = Rollup.new(rss: rss, pss: rss, shared: 0, private: rss, anonymous: rss, swap: swap)
        Mapping.new(start: start, finish: start + (kib * KIB), permissions: permissions, name: name, sizes: sizes)
      end
    end
  end
end
