# frozen_string_literal: true

require "coppice/board/record_columns"

module Coppice
  class Board
    # The positions of everything on a board, in 64-bit cells: the header, then one region after the other, each of
    # records of the same columns. All sizes follow from the column tables, in whole cache lines, so that no two
    # processes write to the same one.
    class Layout
      MAGIC = 0x436f_7070_6963_6531 # "Coppice1"
      VERSION = 9
      CACHE_LINE = 8 # cells
      TEXT_AT = 8 # the cell of the header at which its text begins

      # Where the records of one kind begin, their size and their number.
      Region = Struct.new(:at, :record_cells, :records) do
        def end_at = at + (record_cells * records)
      end

      # Each column with the cell at which it begins.
      #: (Array[Column]) -> Array[[Column, Integer]]
      def self.offsets(columns)
        at = 0
        columns.map { |column| [column, at].tap { at += column.cells } }
      end

      # The first cell of a column in such a record.
      #: (Array[Column], Symbol) -> Integer
      def self.offset(columns, name)
        columns.take_while { |column| column.name != name }.sum(&:cells)
      end

      attr_reader :header #: Array[Integer] -- its cells
      attr_reader :cells  #: Integer -- the size of the whole board

      # Each region as [columns, number of records].
      #: (**[Array[Column], Integer]) -> void
      def initialize(**regions)
        @header = header_with(regions)
        at = header.size
        @regions = regions.transform_values do |columns, count|
          Region.new(at, record_cells(columns), count).freeze.tap { |region| at = region.end_at }
        end
        @cells = at
        freeze
      end

      #: (Symbol) -> Region
      def region(name) = @regions.fetch(name)

      # The first cell of a record. Raises ArgumentError for a record that the region does not have.
      #: (Symbol, ?Integer) -> Integer
      def at(name, index = 0)
        region = region(name)
        raise ArgumentError, "#{name} #{index} of #{region.records}" unless index.between?(0, region.records - 1)

        region.at + (index * region.record_cells)
      end

      # Whether these cells begin with this very header. Another version's, of other columns or sizes, does not.
      #: (Cells) -> bool
      def of?(cells)
        cells.count >= header.size && header.each_with_index.all? { |value, at| cells[at] == value }
      end

      private

      # Magic and version first, then the size, then the tables as text, so that a tool of another version can read
      # them: a line for each region, with the number and the cells of its records.
      def header_with(regions)
        lines = regions.map do |name, (columns, count)|
          "#{name} #{count}x#{record_cells(columns)}: #{columns.join(' ')}\n"
        end
        text = lines.join.b
        size = whole_lines(TEXT_AT + (text.bytesize / 8.0).ceil)
        words = text.ljust((size - TEXT_AT) * 8, "\0").unpack("q*")
        [MAGIC, VERSION, size, *([0] * (TEXT_AT - 3)), *words].freeze
      end

      def record_cells(columns) = whole_lines(columns.sum(&:cells))

      def whole_lines(cells) = cells.fdiv(CACHE_LINE).ceil * CACHE_LINE
    end
  end
end
