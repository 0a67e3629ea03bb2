# frozen_string_literal: true

require "coppice/http"
require "coppice/threaded_server/request_cycle"

module Coppice
  class ThreadedServer
    # Serves one client at a time on a thread of its own: takes the next one from the queue until the queue has ended.
    # There are several. An application may end the thread, by Thread.exit: then another one takes its place.
    class RequestThread
      # multiprocess: whether other processes serve the same application.
      #: (^(Hash[String, untyped]) -> untyped, Thread::SizedQueue, Http::Lingering, RequestCycle,
      #    settings: Config::Settings, log: Log, row: Board::Row?, ?access_log: Http::AccessLog?,
      #    ?multiprocess: bool) -> void
      def initialize(app, clients, lingering, cycle, settings:, log:, row:, access_log: nil, multiprocess: false)
        @clients = clients
        @log = log
        @exchange = Http::Exchange.new(app: app, settings: settings, logger: log, cycle: cycle,
                                       lingering: lingering, marks: { "rack.multithread" => true,
                                                                      "rack.multiprocess" => multiprocess })
        @connection = @exchange.connection
        @connection.count_on(row) if row
        @connection.access_log = access_log.lines if access_log
        @ended = false
      end

      # Returns when the queue has ended. To kill the caller's thread kills the one that serves.
      #: () -> void
      def call
        until @ended
          thread = Thread.new { serve_all }
          thread.name = "coppice serve"
          thread.join
          @log.error("request thread ended", why: "the application has called Thread.exit") unless @ended
        end
      ensure
        thread&.kill&.join
      end

      private

      def serve_all
        while (client = @clients.pop)
          serve(client)
        end
        @ended = true
      ensure
        @connection.close
      end

      def serve(client)
        @exchange.serve if adopt(client)
      rescue SystemExit => error
        Thread.main.raise(error)
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: no request may cost a thread
        @log.exception("request failed", error)
      end

      # From now on the connection owns the descriptor. Returns whether the client is still there.
      def adopt(client)
        @connection.adopt(client.socket.fileno, client.address, client.bytes, client.copies)
        @connection.https = client.https
        @connection.request_id = client.request_id
        client.socket.autoclose = false
        true
      rescue SystemCallError # macOS says so when the client has reset the connection
        client.close
        false
      end
    end
  end
end
