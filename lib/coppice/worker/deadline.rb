# frozen_string_literal: true

module Coppice
  class Worker
    # The deadline of the request in flight; applications get this object as env["coppice.timeout"]. The value is on the
    # board, where the monitor, the lobby and the soft timeout read it. The RequestClock sets it when a request starts.
    class Deadline
      #: (Board::Row, RequestClock, SoftTimeout) -> void
      def initialize(row, clock, soft_timeout)
        @row = row
        @clock = clock
        @soft_timeout = soft_timeout
      end

      # Lets this request take so many seconds, counted from its start, in place of the configured limit. Time spent
      # waiting for the client does not count. Does nothing once the request has ended. Raises ArgumentError for what is
      # no such number.
      #: (Numeric) -> void
      def call(seconds)
        unless seconds.is_a?(Numeric) && seconds.finite? && seconds >= 0
          raise ArgumentError, "a timeout must be a number of seconds, but is #{seconds.inspect}"
        end

        move((seconds * 1000).ceil - @clock.limit_ms)
      end

      # Gives this request so many more seconds, or fewer if the number is negative. Does nothing once it has ended.
      #: (Numeric) -> void
      def extend_deadline(seconds) = move((seconds * 1000).ceil)

      # Moves the deadline by the time that the worker may wait for its client, which does not count against the
      # timeout. A negative number takes back what was not needed.
      #: (Integer) -> void
      def postpone(milliseconds) = @clock.postpone(milliseconds)

      # The client has its response: work that follows it has the limit of the request anew. A worker that exits because
      # the limit has passed gets no more time.
      #: () -> void
      def answered
        @clock.answered unless @soft_timeout.expired?
      end

      # When the request is overdue, in seconds of the monotonic clock.
      #: () -> Float
      def deadline = @row.deadline_ms / 1000.0

      private

      # A new deadline is never in the past: `cleanup` seconds after it the monitor kills the worker, which needs them
      # to answer the client. Any thread may call this while the main thread ends the request.
      def move(milliseconds)
        @soft_timeout.deadline_lowered if @clock.change_limit(milliseconds).negative?
      end
    end
  end
end
