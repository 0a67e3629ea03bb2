# frozen_string_literal: true

module Coppice
  module Memory
    # Cells in rows, as SVG paths: one path for each state, whose lines are one cell high. Neighbours of the same state
    # are one line, so that the file stays small.
    class CellGrid
      #: (Array[Symbol], width: Integer) -> void
      def initialize(cells, width:)
        @rows = cells.each_slice(width).to_a
      end

      # The cells for these pages, each in the state of most of its pages.
      #: (Array[Symbol], Integer) -> Array[Symbol]
      def self.cells(pages, pages_per_cell)
        return pages if pages_per_cell == 1

        pages.each_slice(pages_per_cell).map { |slice| slice.tally.max_by(&:last).first }
      end

      #: () -> Integer
      def height = @rows.size

      # State => the `d` attribute of its path, in which a cell is 1 by 1.
      #: () -> Hash[Symbol, String]
      def paths
        @rows.each_with_index.with_object({}) do |(row, y), paths|
          x = 0
          row.chunk_while { |one, other| one == other }.each do |run|
            (paths[run.first] ||= +"") << "M#{x} #{y}h#{run.size}"
            x += run.size
          end
        end
      end
    end
  end
end
