# frozen_string_literal: true

module Coppice
  class Worker
    # The deadline of the request in flight, as the application sees it. Runs in the
    # worker process; the value itself lies on the board, where the monitor reads it.
    class Deadline
      #: (Board::Row) -> void
      def initialize(row)
        @row = row
      end

      # Gives this one request more time, in seconds; does nothing when it is over.
      #: (Numeric) -> void
      def extend_deadline(seconds)
        return if @row.deadline_ms.zero?

        @row.deadline_ms += (seconds * 1000).ceil
      end

      # The worker waits, or has waited, for its client: that time is not the application's. Negative to take back.
      #: (Integer) -> void
      def postpone(milliseconds)
        @row.deadline_ms += milliseconds unless @row.deadline_ms.zero?
      end

      # The monotonic instant at which the request is overdue, in seconds.
      #: () -> Float
      def deadline = @row.deadline_ms / 1000.0
    end
  end
end
