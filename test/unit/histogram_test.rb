# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/stats"

module Coppice
  # The buckets of durations, in C, and what is read from them.
  class HistogramTest < TestCase
    BOUNDS = Histogram::BOUNDS
    LARGEST = (2**63) - 1

    def setup
      @cells = Cells.create(Histogram::CELLS + 2)
    end

    def teardown
      @cells.close
    end

    test "the bounds grow by a quarter of an octave, from 16 microseconds to 67 seconds" do
      assert_equal [16, 20, 24, 28, 32, 40], BOUNDS.first(6)
      assert_equal 2**26, BOUNDS.last
      assert_equal BOUNDS.sort.uniq, BOUNDS
      assert_equal BOUNDS.size + 2, Histogram::CELLS # one bucket for what is longer, and the sum
    end

    test "every duration is in the bucket between two bounds" do
      durations = BOUNDS.flat_map { |bound| [bound - 1, bound, bound + 1] } + [-5, 0, 1, LARGEST]
      durations.each do |us|
        assert_equal BOUNDS.index { |bound| us < bound } || BOUNDS.size, Histogram.bucket(us), us
      end
    end

    test "a duration that is counted is in one bucket and in the sum" do
      [5, 17, 17, 10**9].each { |us| Histogram.add(@cells, 1, us) }
      sum, *buckets = @cells.read(1, Histogram::CELLS)

      assert_equal 10**9 + 39, sum
      assert_equal({ 0 => 1, 1 => 2, BOUNDS.size => 1 },
        buckets.each_with_index.select { |count, _| count.positive? }.to_h(&:reverse))
      assert_equal [0, 0], [@cells[0], @cells[Histogram::CELLS + 1]]
    end

    test "a clock that goes back counts as no time" do
      Histogram.add(@cells, 0, -7)

      assert_equal [0, 1], @cells.read(0, 2)
    end

    test "a histogram past the end of the cells is refused" do
      assert_raises(IndexError) { Histogram.add(@cells, 3, 1) }
    end

    test "percentiles are off by less than a quarter" do
      durations = Array.new(2000) { |index| 20 + (index * index) }
      durations.each { |us| Histogram.add(@cells, 0, us) }
      histogram = Stats::Histogram.new(@cells.read(0, Histogram::CELLS))

      { 0.5 => 1000, 0.9 => 1800, 0.99 => 1980 }.each do |part, rank|
        assert_in_delta durations[rank], histogram.percentile(part) * 1e6, durations[rank] * 0.25
      end
      assert_equal [2000, durations.sum / 1e6], [histogram.count, histogram.sum]
    end

    test "without durations there is no percentile, and one beyond the last bound is that bound" do
      assert_nil Stats::Histogram.new([0] * Histogram::CELLS).percentile(0.5)
      Histogram.add(@cells, 0, LARGEST)

      assert_in_delta 67.1, Stats::Histogram.new(@cells.read(0, Histogram::CELLS)).percentile(0.5), 0.1
    end
  end
end
