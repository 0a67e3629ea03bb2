# frozen_string_literal: true

module Coppice
  class Monitor
    # Hands out the rows of the board. A row belongs to one process for its whole life, so that a successor in the same
    # slot never reads its predecessor's gauges.
    class RowPool
      #: (Board) -> void
      def initialize(board)
        @board = board
        @taken = []
        @free = [] # of those that were taken before, sorted
      end

      # The lowest free row, assigned.
      #: (role: Symbol, nr: Integer?, generation: Integer) -> Board::Row
      def take(role:, nr:, generation:)
        index = @free.shift || @taken.size
        @taken[index] = true
        @board.rows_count = @taken.size
        @board.slots_count = [@board.slots_count, [nr + 1, Board::SLOT_COUNT].min].max if role == :worker
        @board.row(index).tap { |row| row.assign(role: role, nr: nr, generation: generation) }
      end

      # What the process has counted is kept in the totals of its slot.
      #: (Board::Row) -> void
      def release(row)
        @board.fold(row)
        @taken[row.index] = false
        @free.insert(@free.bsearch_index { |index| index > row.index } || @free.size, row.index)
        @taken.pop until @taken.empty? || @taken.last
        @board.rows_count = @taken.size
      end
    end
  end
end
