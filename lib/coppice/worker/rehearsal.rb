# frozen_string_literal: true

require "socket"
require "coppice/os/clock"
require "coppice/worker/rehearsal/client"

module Coppice
  class Worker
    # The requests that a worker which nobody can reach gets from us, so that the one which becomes the mold is warm. Runs
    # in the first worker of a cold mold, on its main thread, before it is ready; with one request, in each that is forked
    # later. They come through a socket, as a client's do: what serves clients is warm afterwards as well.
    class Rehearsal
      SECONDS = 5 # in which the list is begun once more
      ROUNDS = 40 # YJIT compiles what was called thirty times
      NO_ADDRESS = "" # as of a client of a Unix socket, whose headers are trusted
      MARK = { "coppice.warm_up" => true }.freeze # in each env

      # exchange: one of its own, that marks each env. called_away: whether the worker has better to do now.
      #: (exchange: Http::Exchange, connection: Http::Connection, log: Log, ?called_away: ^() -> bool) -> void
      def initialize(exchange:, connection:, log:, called_away: -> { false })
        @exchange = exchange
        @connection = connection
        @log = log
        @called_away = called_away
        @failed = []
        @seconds = {} # path => what it took last, of those that are answered well
      end

      # The paths again and again, then the user's block. Yields after the first round. Nothing that goes wrong is more
      # than a line in the log.
      #: (Array[String]?, ^(Rehearsal) -> void | nil) { () -> void } -> void
      def call(paths, block)
        began = OS::Clock.now
        with_client do
          rounds = paths ? rounds(paths) { yield } : 0
          block&.call(self) unless @called_away.call
          @log.info("warmed up", rounds: rounds, paths: paths.to_a.size, seconds: (OS::Clock.now - began).round(2))
        end
      end

      # A single request, in a process forked from one that is warm.
      #: (String) -> void
      def once(path)
        with_client { get(path) }
      end

      # The first of the paths that are answered well within so many seconds, once they are known.
      #: (Numeric) -> String?
      def quick_path(limit) = @seconds.find { |_, seconds| seconds < limit }&.first

      # Answers the status; 0 when there was no answer. Further words are headers.
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
        ours.shutdown(:RD) # all has been written, and who took the socket over may keep it for ever
        note(@client.status, method, path)
      ensure
        ours&.close
      end

      private

      def with_client
        @client = Client.new
        yield
      rescue StandardError, ScriptError => error # the user's block, or the system's want of descriptors
        @log.exception("the warm-up failed", error)
      ensure
        @client&.finish
      end

      def rounds(paths)
        until_ = OS::Clock.now + SECONDS
        (1..ROUNDS).find do |round|
          paths.each { |path| get(path) unless @called_away.call }
          yield if round == 1
          round == ROUNDS || OS::Clock.now > until_ || @called_away.call
        end
      end

      # The scheme is what a proxy says that has taken off TLS: an application may refuse anything else.
      def head(method, path, headers, body)
        fields = { "Host" => "localhost", "Connection" => "close", "X-Forwarded-Proto" => "https" }
        fields["Content-Length"] = body.bytesize unless body.empty?
        fields.merge!(headers.transform_keys(&:to_s))
        "#{method} #{path} HTTP/1.1\r\n#{fields.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n"
      end

      # The descriptor is the connection's from now on.
      def detached(socket)
        socket.autoclose = false
        socket.fileno
      end

      def well?(status) = (200..399).cover?(status)

      # Once for each path, or the log would have it in every round.
      def note(status, method, path)
        return status if well?(status) || @failed.include?([method, path])

        @failed << [method, path]
        @log.warn("warm-up request failed", method: method, path: path, status: status)
        status
      end
    end
  end
end
