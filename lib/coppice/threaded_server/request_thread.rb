# frozen_string_literal: true

require "coppice/http"
require "coppice/threaded_server/request_observer"

module Coppice
  class ThreadedServer
    # One of the threads that serve, one client at a time: takes the next one from the queue until the queue has ended.
    class RequestThread
      MARKS = { "rack.multithread" => true, "rack.multiprocess" => false }.freeze

      #: (^(Hash[String, untyped]) -> untyped, Thread::SizedQueue, Http::Lingering, RequestObserver,
      #    settings: Config::Settings, log: Log, row: Board::Row?, ?access_log: Http::AccessLog?) -> void
      def initialize(app, clients, lingering, observer, settings:, log:, row:, access_log: nil)
        @clients = clients
        @log = log
        @exchange = Http::Exchange.new(app: app, settings: settings, logger: log, observer: observer,
                                       lingering: lingering, marks: MARKS)
        @connection = @exchange.connection
        @connection.count_on(row) if row
        @connection.access_log = access_log.lines if access_log
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
        @connection.adopt(client.socket.fileno, client.address, "", client.copies)
        client.socket.autoclose = false
        true
      rescue SystemCallError # macOS says so when the client has reset the connection
        client.close
        false
      end
    end
  end
end
