# frozen_string_literal: true

require "test_helper"
require "coppice/tools/memory/picture"

module Coppice
  module Memory
    class CellGridTest < TestCase
      test "neighbours of one state are one line, which ends with the row" do
        raster = CellGrid.new([:private, :shared, :shared, :shared, :shared, :private], width: 4)
        assert_equal 2, raster.height
        assert_equal({ private: "M0 0h1M1 1h1", shared: "M1 0h3M0 1h1" }, raster.paths)
      end

      test "several pages in a cell have the state of most of them" do
        pages = [:private, :shared, :shared, :private, :private, :absent, :swapped]
        assert_equal [:shared, :private, :swapped], CellGrid.cells(pages, 3)
        assert_same pages, CellGrid.cells(pages, 1)
      end

      test "no pages make an empty grid" do
        raster = CellGrid.new([], width: 4)
        assert_equal [0, {}], [raster.height, raster.paths]
      end
    end
  end
end
