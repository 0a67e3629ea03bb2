# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  class Worker
    # The deadline of the request in flight, as the application sees it. Runs in the
    # worker process; the value itself lies on the board, where the monitor reads it.
    class Deadline
      #: (Board::Row, SoftTimeout) -> void
      def initialize(row, soft_timeout)
        @row = row
        @soft_timeout = soft_timeout
      end

      # Gives this one request more time, in seconds, or less when they are negative; does nothing when it is over.
      #: (Numeric) -> void
      def extend_deadline(seconds)
        return if @row.deadline_ms.zero?

        seconds.negative? ? lower(seconds) : @row.deadline_ms += (seconds * 1000).ceil
      end

      # The worker waits, or has waited, for its client: that time is not the application's. Negative to take back.
      #: (Integer) -> void
      def postpone(milliseconds)
        @row.deadline_ms += milliseconds unless @row.deadline_ms.zero?
      end

      # The monotonic instant at which the request is overdue, in seconds.
      #: () -> Float
      def deadline = @row.deadline_ms / 1000.0

      private

      # At most to this instant: from it on the worker has `cleanup` seconds to answer the client, until the monitor ends it.
      def lower(seconds)
        deadline_ms = @row.deadline_ms
        now_ms = OS::Clock.now_ms
        return if deadline_ms < now_ms

        @row.deadline_ms = (deadline_ms + (seconds * 1000).ceil).clamp(now_ms, deadline_ms)
        @soft_timeout.deadline_lowered
      end
    end
  end
end
