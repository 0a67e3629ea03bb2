# frozen_string_literal: true

require "coppice/board/columns"

module Coppice
  class Board
    # The positions of everything on a board, in 64-bit cells: the header, the server's columns, the rows. All sizes
    # follow from the column tables, in whole cache lines, so that no two processes write to the same one.
    class Layout
      MAGIC = 0x436f_7070_6963_6531 # "Coppice1"
      VERSION = 4
      CACHE_LINE = 8 # cells
      TEXT_AT = 8 # the cell of the header at which its text begins

      # Each column with the cell at which it begins.
      #: (Array[Column]) -> Array[[Column, Integer]]
      def self.offsets(columns)
        at = 0
        columns.map { |column| [column, at].tap { at += column.cells } }
      end

      attr_reader :header    #: Array[Integer] -- its cells
      attr_reader :row_cells #: Integer

      #: (server: Array[Column], row: Array[Column], row_count: Integer) -> void
      def initialize(server:, row:, row_count:)
        @row_count = row_count
        @server_cells = whole_lines(server.sum(&:cells))
        @row_cells = whole_lines(row.sum(&:cells))
        @header = header_with("server: #{server.join(' ')}\nrow: #{row.join(' ')}\n")
        freeze
      end

      #: () -> Integer
      def server_at = header.size

      #: (Integer) -> Integer
      def row_at(index) = server_at + @server_cells + (index * row_cells)

      # The size of the whole board.
      #: () -> Integer
      def cells = row_at(@row_count)

      # Whether these cells begin with this very header. Another version's, of other columns or sizes, does not.
      #: (Cells) -> bool
      def of?(cells)
        cells.count >= header.size && header.each_with_index.all? { |value, at| cells[at] == value }
      end

      private

      # Magic and version first, then the sizes, then the column tables as text, so that a tool of another version can
      # read them.
      def header_with(text)
        size = whole_lines(TEXT_AT + (text.bytesize / 8.0).ceil)
        facts = [MAGIC, VERSION, size, @server_cells, row_cells, @row_count]
        words = text.b.ljust((size - TEXT_AT) * 8, "\0").unpack("q*")
        [*facts, *([0] * (TEXT_AT - facts.size)), *words].freeze
      end

      def whole_lines(cells) = cells.fdiv(CACHE_LINE).ceil * CACHE_LINE
    end
  end
end
