# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  class Worker
    # The deadline of the request in flight: env["coppice.timeout"]. The value itself is on the board, where the
    # monitor and the soft timeout read it; the RequestClock sets it when a request starts.
    class Deadline
      #: (Board::Row, SoftTimeout) -> void
      def initialize(row, soft_timeout)
        @row = row
        @soft_timeout = soft_timeout
      end

      # Gives this request more time, in seconds, or less when they are negative; does nothing when it has ended.
      #: (Numeric) -> void
      def extend_deadline(seconds)
        return if @row.deadline_ms.zero?

        seconds.negative? ? lower(seconds) : @row.deadline_ms += (seconds * 1000).ceil
      end

      # The worker is about to wait for its client: that time is not the application's. Negative to take time back.
      #: (Integer) -> void
      def postpone(milliseconds)
        @row.deadline_ms += milliseconds unless @row.deadline_ms.zero?
      end

      # When the request is overdue, in seconds of the monotonic clock.
      #: () -> Float
      def deadline = @row.deadline_ms / 1000.0

      private

      # Never to before this instant: from the deadline on the worker has `cleanup` seconds to answer the client, until
      # the monitor kills it.
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
