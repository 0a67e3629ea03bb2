# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/http"

module Coppice
  class ThreadedServer
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

    # What the exchange of one thread reports to. Counts on a row of the board, if there is one. All threads count on
    # the same row: it shows the request that began last.
    class RequestObserver
      NO_TIMEOUT_MS = 2**62 # the RequestClock lowers it to the most that it takes

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

      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        @clock&.finish
        @after_request&.call(env)
      end
    end

    # One of the threads that serve, one client at a time: takes the next one from the queue until the queue has ended.
    # Owns a connection.
    class RequestThread
      MARKS = { "rack.multithread" => true, "rack.multiprocess" => false }.freeze

      #: (^(Hash[String, untyped]) -> untyped, Thread::SizedQueue, Http::Lingering, RequestObserver,
      #    settings: Config::Settings, log: Log, row: Board::Row?, ?access_log: Http::AccessLog?) -> void
      def initialize(app, clients, lingering, observer, settings:, log:, row:, access_log: nil)
        @clients = clients
        @log = log
        @connection = Http::Connection.new(Http::Limits.from(settings))
        @connection.lingering = lingering
        @connection.count_on(row) if row
        @connection.access_log = access_log.lines if access_log
        @exchange = Http::Exchange.new(app: app, connection: @connection, settings: settings, logger: log,
                                       observer: observer, marks: MARKS)
      end

      #: () -> void
      def call
        while (client = @clients.pop)
          serve(client)
        end
      ensure
        @connection.close
      end

      private

      def serve(client)
        @exchange.serve if adopt(client)
      rescue SystemExit => error
        Thread.main.raise(error)
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: no request may cost a thread
        @log.exception("request failed", error)
      end

      # From now on the connection owns the descriptor. Returns whether the client is still there.
      def adopt(client)
        @connection.adopt(client.socket.fileno, client.address)
        client.socket.autoclose = false
        true
      rescue SystemCallError # macOS says so when the client has reset the connection
        client.close
        false
      end
    end
  end
end
