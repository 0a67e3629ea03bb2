# frozen_string_literal: true

require "socket"
require "coppice/errors"
require "coppice/http/cookie_jar"
require "coppice/http/request_head"
require "coppice/os/clock"
require "coppice/worker/rehearsal/client"

module Coppice
  class Worker
    # Requests that a worker makes to itself before it is ready, so that it is warm. The first worker of a cold mold,
    # which no client can reach, serves all of `warm_up_requests` again and again; the first one of a new release serves
    # each of them once. Each worker that is forked later serves one of them. The requests come through a socket, as
    # those of clients do, so that the code which serves clients is warm as well.
    class Rehearsal
      SECONDS = 5 # after this time no further round of the list starts
      ROUNDS = 40 # maximum; YJIT compiles a method once it was called thirty times
      NO_ADDRESS = "" # like a client of a Unix socket, whose headers are trusted
      MARK = { "coppice.warm_up" => true }.freeze # added to each env

      # As a browser sends them, so that content negotiation and compression are warm as well; and as a proxy that
      # terminates TLS sends them, because an application may refuse plain HTTP.
      HEADERS = {
        "Host" => "localhost",
        "Connection" => "close",
        "X-Forwarded-Proto" => "https",
        "Accept" => "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Encoding" => "gzip, br",
        "Accept-Language" => "en-US,en;q=0.9"
      }.freeze

      # reported: whether the status that was logged was a success, nil before. warm: whether any request was one.
      Outcome = Struct.new(:reported, :warm)
      private_constant :Outcome

      # exchange: one that adds MARK to each env, without a Lingering, to which nobody attends now. interrupted: returns
      # whether the worker must stop the rehearsal now. errors_only: whether only an error is worth a line of the log: a
      # rehearsal came before, or comes later.
      #: (exchange: Http::Exchange, log: Log, ?interrupted: ^() -> bool, ?errors_only: bool) -> void
      def initialize(exchange:, log:, interrupted: -> { false }, errors_only: false)
        @exchange = exchange
        @log = log
        @interrupted = interrupted
        reported = errors_only ? true : nil # as if a success had been logged
        @outcomes = Hash.new { |outcomes, key| outcomes[key] = Outcome.new(reported) } # by method and path
        @quick = {} # path => status and duration of its last request without own headers, if it was not an error
      end

      # Requests the paths again and again, then calls the user's block. Yields after the first round. Errors are logged
      # and never fatal.
      #: (Array[String], ^(Rehearsal) -> void | nil) { () -> void } -> void
      def call(paths, block)
        began = OS::Clock.now
        with_client do
          rounds = paths.empty? ? 0 : rounds(paths) { yield }
          call_block(block)
          log_end(rounds: rounds, paths: paths.size, seconds: (OS::Clock.now - began).round(2))
        end
      end

      # One request for each path, then the user's block.
      #: (Array[String], ?^(Rehearsal) -> void | nil) -> void
      def once(paths, block = nil)
        with_client do
          paths.each { |path| get(path) unless @interrupted.call }
          call_block(block)
        end
      end

      # The header Cookie of the requests of the user's block, which is what the responses to it have set; nil for none.
      #: () -> String?
      def cookies = @cookies&.header

      # The first path whose last request succeeded within `limit` seconds, or else the first that was redirected; nil
      # if there is none.
      #: (Numeric) -> String?
      def quick_path(limit)
        quick = @quick.select { |_, (_, seconds)| seconds < limit }
        (quick.find { |_, (status, _)| success?(status) } || quick.first)&.first
      end

      # Returns the status, or 0 if there was no response. Headers are a Hash, or keyword arguments.
      #: (String, ?Hash[untyped, String], **String) -> Integer
      def get(path, headers = {}, **more)
        headers = headers.merge(more)
        began = OS::Clock.now
        anonymous = headers.empty? && cookies.nil?
        status = request("GET", path, headers)
        @quick[path] = [status, OS::Clock.now - began] if anonymous && (200..399).cover?(status)
        status
      end

      #: (String, String, ?Hash[untyped, String], ?String) -> Integer
      def request(method, path, headers = {}, body = "")
        began = OS::Clock.now
        ours, theirs = UNIXSocket.pair
        @client.send(ours, head(method, path, headers, body), body, @cookies)
        @exchange.connection.adopt(detached(theirs), NO_ADDRESS)
        @exchange.serve
        ours.shutdown(:RD) # all has been written, and an application that took the socket over may keep it open forever
        report(method, path, @client.answer, OS::Clock.now - began)
      ensure
        ours&.close
      end

      private

      def with_client
        @client = Client.new
        yield
      rescue UserCodeError => error # from the user's block, or because no descriptors are left
        @log.exception("rehearsal failed", error)
      ensure
        @client&.finish
      end

      # It is one visitor: what it is given by one response, such as a session, goes with its next request.
      def call_block(block)
        return if block.nil? || @interrupted.call

        @cookies = Http::CookieJar.new
        block.call(self)
      end

      def rounds(paths)
        limit = OS::Clock.now + SECONDS
        (1..ROUNDS).find do |round|
          paths.each { |path| get(path) unless @interrupted.call }
          yield if round == 1
          round == ROUNDS || OS::Clock.now > limit || @interrupted.call
        end
      end

      def head(method, path, headers, body)
        length = body.bytesize unless body.empty?
        fields = { **HEADERS, "Content-Length" => length, "Cookie" => cookies }.compact
        Http::RequestHead.text(method, path, fields, headers)
      end

      # The connection owns the descriptor from now on.
      def detached(socket)
        socket.autoclose = false
        socket.fileno
      end

      def success?(status) = (200..299).cover?(status)

      # Logs the status of each path once, not in every round; and once more if it turns into an error.
      def report(method, path, answer, seconds)
        status = answer.status
        outcome = @outcomes[[method, path]]
        outcome.warm ||= success?(status)
        if outcome.reported.nil? || (outcome.reported && !(200..399).cover?(status))
          outcome.reported = success?(status)
          log_answer(answer, method: method, path: path, status: status, ms: (seconds * 1000).round)
        end
        status
      end

      # A worker is promoted also where nothing has become warm, so the line that explains a promotion says so.
      def log_end(**fields)
        cold = @outcomes.each_value.count { |outcome| !outcome.warm }
        return @log.info("rehearsal finished", **fields) if cold.zero?

        @log.public_send(cold < @outcomes.size ? :info : :warn, "rehearsal finished", **fields, not_warm: cold)
      end

      def log_answer(answer, **fields)
        if success?(answer.status) then @log.info("warm-up request", **fields)
        elsif (300..399).cover?(answer.status)
          @log.warn("warm-up request redirected: its page is not warm", **fields, location: answer.location)
        else
          @log.warn("warm-up request failed", **fields)
        end
      end
    end
  end
end
