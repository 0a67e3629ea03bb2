# frozen_string_literal: true

require "coppice/board"

module Coppice
  class Worker
    # What the first worker of a new mold knows of its trial. A worker that fails at once would otherwise draw most
    # clients, and answer many of them with an error, before the monitor looks at it again.
    class Trial
      # Long enough for the monitor to look once, however its looks fall.
      PAUSE = 2 * Board::TRIAL_LOOK_SECONDS

      # nil for a worker of a mold that is committed.
      #: (Board, Board::Row) -> Trial?
      def self.of(board, row)
        trial = new(board, row)
        trial unless trial.over?
      end

      #: (Board, Board::Row) -> void
      def initialize(board, row)
        @board = board
        @row = row
        @failures = failures
      end

      # Whether the mold was committed.
      #: () -> bool
      def over? = @row.generation <= @board.generation

      # Whether a request has failed since the last call, and the monitor compares it with the other workers' requests.
      #: () -> bool
      def failed?
        before, @failures = @failures, failures
        @failures > before && @board.trial_watched == 1
      end

      private

      def failures = @row.responses[Board::SERVER_ERRORS]
    end
  end
end
