# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/http/client"
require "coppice/http/env_prototype"
require "coppice/http/error_page"
require "coppice/http/failures"
require "coppice/http/input_reader"
require "coppice/http/response_writer"
require "coppice/listeners/trusted_proxies"

module Coppice
  module Http
    # Serves one client after the other, each from the head of its request to the end of the response. There is one in
    # each worker, on the main thread, and one for each thread of a ThreadedServer that serves. Owns a connection, which
    # a source gives the next client. It handles what clients and applications do wrong; only exceptions that concern
    # the process (SystemExit, signals, no memory) and throws leave it, after an answer and cleanup.
    class Exchange
      RETRY_AFTER = "5" # seconds: the worker is replaced sooner, but what made the application slow may last

      CONTINUE = [100, "100"].freeze
      NONE = [].freeze

      attr_reader :connection #: Connection

      # cycle: is told what becomes of each request. lingering: gets the clients that may still be sending when they
      # have their response; nil to close them at once, where nobody attends to it. marks: more entries for each env.
      # trusted_proxies: those of the settings, parsed.
      #: (app: untyped, settings: Config::Settings, logger: Log,
      #    cycle: Worker::RequestCycle | ThreadedServer::RequestCycle, lingering: Lingering?,
      #    ?marks: Hash[String, untyped], ?trusted_proxies: Listeners::TrustedProxies) -> void
      def initialize(app:, settings:, logger:, cycle:, lingering:, marks: {},
                     trusted_proxies: Listeners::TrustedProxies.new(settings.trusted_networks))
        rack2 = Http.rack2?
        @app = app
        @connection = Connection.new(settings, deadline: cycle.deadline, lingering: lingering, rack2: rack2)
        @cycle = cycle
        @early_hints = settings.early_hints
        @check_client = settings.check_client_connection
        @prototype = EnvPrototype.new(settings, cycle.worker, marks, trusted_proxies: trusted_proxies)
        @inputs = InputReader.new(@connection, settings, rack2: rack2)
        @writer = ResponseWriter.new(@connection, rack2: rack2)
        @failures = Failures.new(logger)
      end

      # Serves the client that the connection accepted, and closes it.
      #: () -> nil
      def serve
        status = @connection.read_head
        if status == true then take_request
        elsif status then refuse(status, @connection.refusal)
        end
        nil
      ensure
        @connection.close
      end

      # Answers in the place of an application that is past its deadline, if nothing has been answered yet. Called on
      # the thread of the soft timeout while the main thread is in the application.
      #: () -> void
      def expire
        return if @connection.response_started? || !@connection.open?

        headers = { "retry-after" => RETRY_AFTER }
        @expired = true # before the first byte: the application may answer meanwhile
        refuse(503, "the application took too long", headers)
      rescue IOError
        @expired = false # the application has just begun to answer
      end

      private

      def take_request
        env = @prototype.env_of(@connection)
        dropped = @connection.dropped_headers
        @cycle.headers_dropped(dropped) unless dropped.zero?
        env["rack.input"] = input = open_input(env)
        return if @check_client && @connection.peer_gone?

        observed(env, input)
      rescue RequestRefused => error
        refuse(error.status, error.message, cause: error.cause)
      rescue ClientGone => error
        @failures.note(error.message)
      ensure
        @inputs.release(input) if input
      end

      # A client may take long for its body: meanwhile the worker is not idle, and has a deadline.
      def open_input(env)
        return @inputs.open(env) unless @connection.body?

        @cycle.body_awaited(env)
        begin
          @inputs.open(env)
        ensure
          @cycle.body_ended
        end
      end

      def observed(env, input)
        env["coppice.timeout"] = env["pitchfork.timeout"] = @cycle.deadline
        client = introduce_client(env)
        @cycle.request_started(env)
        begin
          answer(env, input, client)
        ensure
          @cycle.request_finished(env)
        end
      end

      # Whatever happens: the body is closed once, the client is closed, and the callbacks are called.
      def answer(env, input, client)
        status = headers = body = nil
        ForkSafety::StrayCopy.end_after do
          status, headers, body = responded(env)
          pieces = @writer.collected_body(body)
          missing = written(status, headers, pieces, input, client)
          status = headers = nil unless missing
          @failures.log_length(missing, env) if missing&.nonzero?
        end
      rescue UserCodeError => error
        recover(error, env, client)
      rescue *UserCodeError::OF_THE_PROCESS # the application's, or its time is over. Stop signals raise none
        answer_leaving
        raise
      ensure
        begin
          close(body, env)
        ensure
          client.release
          @connection.close
          run_callbacks(env, status, headers, error)
        end
      end

      # As ResponseWriter#write, or nil: an application that is past its deadline may still answer, as a middleware does
      # that rescues any Exception. The client has its response, so that answer is nobody's error.
      def written(status, headers, pieces, input, client)
        @connection.detached? ? 0 : @writer.write(status, headers, pieces, input, client)
      rescue IOError
        raise unless @expired
      end

      # As in Rack 2, an application may answer 100 to a client that asks whether it may send its body. Then the client
      # is told to continue, unless it was told when the input was read, and the application is called once more.
      def responded(env)
        response = checked(@app.call(env))
        return response if @connection.detached? || !CONTINUE.include?(response[0]) || !env.delete("HTTP_EXPECT")

        close(response[2], env)
        @connection.send_continue
        checked(@app.call(env))
      end

      def answer_leaving
        refuse(500, nil)
      rescue IOError
        nil # it left while it was answering
      end

      def introduce_client(env)
        client = Client.new(@connection, env)
        env["rack.hijack"] = env["coppice.socket"] = env["pitchfork.socket"] = client
        env["rack.early_hints"] = client.method(:early_hints) if @early_hints
        client
      end

      def checked(response)
        return response if response.is_a?(Array) && response.size == 3

        unless response.respond_to?(:to_ary)
          raise ResponseError, "the application answered #{response.class}, not [status, headers, body]"
        end

        response = response.to_ary
        response.size == 3 ? response : raise(ResponseError, "the application answered #{response.size} values, not 3")
      end

      def recover(error, env, client)
        case error
        when ClientGone then @failures.note(error.message)
        when RequestRefused then refuse(error.status, error.message, cause: error.cause)
        else
          @failures.log("application error", error, env)
          refuse(500, nil)
          client.end_taken unless error.is_a?(ResponseError) # the application has raised, and may not close it
        end
      end

      # An error page, after which the connection is closed; or, when a part of the response has been sent, an end that
      # the client can tell from a complete one. Only the log gets the cause, which may name files of this machine.
      def refuse(status, reason, headers = {}, cause: nil)
        return if @connection.detached?
        return @connection.close if @connection.response_started?

        note_refusal(status, reason, cause) if reason
        @connection.respond(status, ErrorPage::HEADERS.merge(headers), [ErrorPage.text(status, reason)])
      rescue ClientGone => error
        @failures.note(error.message)
      end

      def note_refusal(status, reason, cause)
        @cycle.request_refused
        @failures.refused(status, [reason, cause&.message].compact.join(": "))
      end

      def close(body, env)
        ForkSafety::StrayCopy.end_after { body.close } if body.respond_to?(:close)
      rescue UserCodeError => error
        @failures.log("closing the body failed", error, env)
      end

      # rack.response_finished in reverse order, with what became of the request; then rack.after_reply; then temporary
      # files of uploads are removed, as Rack::TempfileReaper would, but without a wrapper around each body. The
      # application may have put anything in the place of these lists.
      def run_callbacks(env, status, headers, error)
        return if no_callbacks?(env)

        @cycle.request_answered
        Array(env["rack.response_finished"]).reverse_each do |callback|
          guard(env) { callback.call(env, status, headers, error) }
        end
        Array(env["rack.after_reply"]).each { |callback| guard(env) { callback.call } }
        Array(env["rack.tempfiles"]).each { |file| guard(env) { file.close! } }
      end

      # After most requests.
      def no_callbacks?(env)
        NONE == env["rack.response_finished"] && NONE == env["rack.after_reply"] && env["rack.tempfiles"].nil?
      end

      # No callback can keep another one from running.
      def guard(env, &callback)
        ForkSafety::StrayCopy.end_after(&callback)
      rescue UserCodeError => error
        @failures.log("a callback after the response failed", error, env)
      end
    end
  end
end
