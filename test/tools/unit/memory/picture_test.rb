# frozen_string_literal: true

require "test_helper"
require "coppice/tools/memory/picture"
require_relative "../../../support/measured_family"

module Coppice
  module Memory
    class PictureTest < TestCase
      test "each process has a column with its pages" do
        first, second = columns(picture(space(0, [:shared] * 3), space(1, [:shared, :private, :shared])))
        assert_equal ["M0 0h3"], lines(first, "shared").take(1)
        assert_equal ["M0 0h1M2 0h1"], lines(second, "shared").take(1)
        assert_equal ["M1 0h1"], lines(second, "private")
      end

      test "a kind begins at the same height in all columns" do
        heights = columns(picture(space(0, [:shared] * 1000), space(1, [:private]))).map do |column|
          column.scan(/translate\(\d+ (\d+)\)/)
        end
        assert_equal [2, 2], heights.map(&:size)
        assert_equal heights.first, heights.last
      end

      test "names and sizes are in the description for screen readers" do
        svg = picture(space(0, [:private]))
        assert_match(/\A<svg [^>]*role="img" aria-labelledby="title desc">/, svg)
        assert_includes svg, '<title id="title">Memory of a Coppice server, page by page</title>'
        assert_match(/<desc id="desc">worker\[0\] \(gen 2\): 10\.0 of 100\.0 MiB private\.<.desc>/, svg)
      end

      test "every element that is opened is closed" do
        svg = picture(space(0, [:private]), space(1, [:swapped, :absent]))
        %w[svg title desc style g text].each do |name|
          assert_equal svg.scan(/<#{name}[ >]/).size, svg.scan("</#{name}>").size, name
        end
        assert_equal svg.scan(/<(?:path|line) /).size, svg.scan(%r{<(?:path|line) [^<>]*/>}).size
      end

      test "where there are too many pages several make a cell" do
        svg = picture(space(0, [:shared, :shared, :private] * ((Picture::MAXIMUM_CELLS * 2 / 3) + 1)))
        assert_includes svg, "a cell: 3 pages"
        assert_empty lines(svg, "private")
      end

      test "a long stretch of absent pages is cut short" do
        states = [:private, *([:absent] * 1000), :private, :absent]
        gap = [:absent] * AddressSpace::LONGEST_GAP

        assert_equal [:private, *gap, :private, :absent], AddressSpace.shortened(states)
      end

      # As in the observer beside processes that another allocator was preloaded into.
      test "a kind that one process cannot tell has no size in its column" do
        hidden = space(1, [])
        hidden.measurement.kinds[:gc_heap] = nil
        known, unknown = columns(picture(space(0, [:private]), hidden))

        assert_includes known, ">GC heap: 10.0 of 100.0 MiB private<"
        assert_includes unknown, ">GC heap: -<"
      end

      test "a process that has exited is not drawn" do
        assert_nil AddressSpace.of(MeasuredFamily.measurement(4_194_305, :worker, private: 1))
      end

      private

      def picture(*spaces) = Picture.new(spaces).to_s

      def columns(svg) = svg.split("<g>\n").drop(1)

      def lines(text, state) = text.scan(/<path class="#{state}" d="([^"]*)"/).flatten

      def space(nr, heap)
        none = MappingKinds::NAMES.keys.to_h { |kind| [kind, []] }
        AddressSpace.new(measurement: MeasuredFamily.measurement(10 + nr, :worker, nr: nr, private: 10 * 1024),
          pages: none.merge(gc_heap: heap, jit: [:shared]))
      end
    end
  end
end
