# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require "coppice/gc_profile/allocations"

module Coppice
  module GCProfile
    class AllocationsTest < TestCase
      TEXT = "requests=64 cpu_us=7100 minor_us=650 malloc=500000 promoted=40 largest=15000 40:4020/230000 80:721/36000"

      test "a measurement comes back from its text as it was" do
        measurement = Allocations.parse(TEXT)

        assert_equal [64, 7100, 650, 500_000, 40, 15_000], measurement.to_a.first(6)
        assert_equal({ 40 => [4020, 230_000], 80 => [721, 36_000] }, measurement.pools)
        assert_equal TEXT, measurement.to_s
        assert_predicate measurement, :frozen?
      end

      test "an empty text is no measurement" do
        assert_nil Allocations.parse("")
      end

      ["nonsense", "requests=64", TEXT.sub("64", "many"), TEXT.sub("36000", ""), TEXT.sub("80:", ":"),
       "#{TEXT} color=7",
       TEXT.sub("malloc=500000 ", "")].each do |text|
        test "#{text.inspect} is refused" do
          assert_raises(ArgumentError) { Allocations.parse(text) }
        end
      end

      test "the largest fits into a row of the board" do
        board = Board.create
        pools = [40, 80, 160, 320, 640].to_h { |size| [size, [9_999_999, 99_999_999]] }
        largest = Allocations.new(requests: 64, cpu_us: 10**8, minor_us: 10**7, malloc: 10**11,
          promoted: 10**7, largest: 10**7, pools: pools).to_s
        board.row(0).allocations = largest

        assert_equal largest, board.row(0).allocations
      ensure
        board&.close
      end
    end
  end
end
