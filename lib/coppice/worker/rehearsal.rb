# frozen_string_literal: true

require "socket"
require "coppice/os/clock"
require "coppice/worker/rehearsal/client"

module Coppice
  class Worker
    # Requests that a worker gets from the server itself before it is ready, so that the mold made of it is warm: all of
    # `warm_up_requests` in the first worker of a cold mold, which no client can reach, and a single one in each worker
    # that is forked later. They come through a socket, as a client's do, so that the code which serves clients is warm
    # as well.
    class Rehearsal
      SECONDS = 5 # no further round of the list begins after them
      ROUNDS = 40 # YJIT compiles a method once it was called thirty times
      NO_ADDRESS = "" # like a client of a Unix socket, whose headers are trusted
      MARK = { "coppice.warm_up" => true }.freeze # in each env

      # exchange: one that marks each env. interrupted: whether the worker must stop the rehearsal now.
      #: (exchange: Http::Exchange, connection: Http::Connection, log: Log, ?interrupted: ^() -> bool) -> void
      def initialize(exchange:, connection:, log:, interrupted: -> { false })
        @exchange = exchange
        @connection = connection
        @log = log
        @interrupted = interrupted
        @failed = []
        @seconds = {} # path => duration of its last successful request
      end

      # Requests the paths again and again, then calls the user's block. Yields after the first round. Errors are logged
      # and never fatal.
      #: (Array[String]?, ^(Rehearsal) -> void | nil) { () -> void } -> void
      def call(paths, block)
        began = OS::Clock.now
        with_client do
          rounds = paths ? rounds(paths) { yield } : 0
          block&.call(self) unless @interrupted.call
          seconds = (OS::Clock.now - began).round(2)
          @log.info("rehearsal finished", rounds: rounds, paths: paths.to_a.size, seconds: seconds)
        end
      end

      # A single request, in a worker forked from a warm mold.
      #: (String) -> void
      def once(path)
        with_client { get(path) }
      end

      # The first path whose last request succeeded within so many seconds; nil if there is none.
      #: (Numeric) -> String?
      def quick_path(limit) = @seconds.find { |_, seconds| seconds < limit }&.first

      # Answers the status; 0 when there was no answer. Keyword arguments are headers.
      #: (String, **String) -> Integer
      def get(path, **headers)
        began = OS::Clock.now
        status = request("GET", path, headers)
        @seconds[path] = OS::Clock.now - began if well?(status) && headers.empty?
        status
      end

      #: (String, String, ?Hash[untyped, String], ?String) -> Integer
      def request(method, path, headers = {}, body = "")
        ours, theirs = UNIXSocket.pair
        @client.send(ours, head(method, path, headers, body), body)
        @connection.adopt(detached(theirs), NO_ADDRESS)
        @exchange.serve
        ours.shutdown(:RD) # all has been written, and an application that took the socket over may keep it open forever
        note(@client.status, method, path)
      ensure
        ours&.close
      end

      private

      def with_client
        @client = Client.new
        yield
      rescue StandardError, ScriptError => error # from the user's block, or because no descriptors are left
        @log.exception("rehearsal failed", error)
      ensure
        @client&.finish
      end

      def rounds(paths)
        limit = OS::Clock.now + SECONDS
        (1..ROUNDS).find do |round|
          paths.each { |path| get(path) unless @interrupted.call }
          yield if round == 1
          round == ROUNDS || OS::Clock.now > limit || @interrupted.call
        end
      end

      # Like a request from a proxy that terminates TLS: an application may refuse plain HTTP.
      def head(method, path, headers, body)
        fields = { "Host" => "localhost", "Connection" => "close", "X-Forwarded-Proto" => "https" }
        fields["Content-Length"] = body.bytesize unless body.empty?
        fields.merge!(headers.transform_keys(&:to_s))
        "#{method} #{path} HTTP/1.1\r\n#{fields.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n"
      end

      # The connection owns the descriptor from now on.
      def detached(socket)
        socket.autoclose = false
        socket.fileno
      end

      def well?(status) = (200..399).cover?(status)

      # Logs a failure once for each path, not in every round.
      def note(status, method, path)
        return status if well?(status) || @failed.include?([method, path])

        @failed << [method, path]
        @log.warn("warm-up request failed", method: method, path: path, status: status)
        status
      end
    end
  end
end
