# frozen_string_literal: true

module Coppice
  class ThreadedServer
    # What the exchange of one thread reports to. Counts on a row of the board, if there is one. All threads count on
    # the same row: it shows the request that began last.
    class RequestCycle
      NO_TIMEOUT_MS = 2**62 # the RequestClock lowers it to the most that it takes

      # env["coppice.timeout"] of a server without a request timeout.
      class NoDeadline
        #: (Numeric) -> nil
        def extend_deadline(_seconds) = nil

        #: (Numeric) -> void
        def call(_seconds) = nil

        #: (Integer) -> nil
        def postpone(_milliseconds) = nil

        #: () -> Float
        def deadline = Float::INFINITY
      end

      attr_reader :worker   #: untyped -- env["coppice.worker"]
      attr_reader :deadline #: NoDeadline

      #: (untyped, Board::Row?, (^(Hash[String, untyped]) -> void)?) -> void
      def initialize(worker, row, after_request)
        @worker = worker
        @row = row
        @after_request = after_request
        @deadline = NoDeadline.new
        @clock = RequestClock.new(row, NO_TIMEOUT_MS).tap(&:begin_counting) if row
      end

      def request_refused = @row&.count(:refused)
      def headers_dropped(number) = @row&.count(:dropped_headers, number)
      def body_awaited(env) = @clock&.start(env)
      def body_ended = @clock&.stop
      def request_started(env) = @clock&.start(env)
      def request_answered = nil

      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        @clock&.finish
        @after_request&.call(env)
      end
    end
  end
end
