# frozen_string_literal: true

require "stringio"
require "timeout"
require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Cold
    # One request to one path of the application. It is like a client's request to a worker, but has no socket. It runs
    # in a fork of the loaded application, and is called twice there.
    class Play
      # error: the exception that the application raised, or that a framework left in the env of an error page.
      Outcome = Struct.new(:status, :location, :error, keyword_init: true)

      # Keys of the env in which frameworks leave the exception that caused an error page.
      ERROR_KEYS = %w[action_dispatch.exception sinatra.error rack.exception].freeze

      # Loads what only a play needs, so that this does not count as part of the first play.
      def self.prepare #: () -> void
        require "rack/mock"
        Rack::MockRequest.env_for("http://localhost/")
        Timeout.timeout(1) { nil }
      end

      # What caused the error page that a request with this env was answered with; nil if no framework has left it.
      #: (Hash[String, untyped]) -> Exception?
      def self.error_in(env) = ERROR_KEYS.filter_map { |key| env[key] }.first

      # seconds: the timeout of one play.
      #: (app: untyped, worker: untyped, path: String, host: String, seconds: Numeric, ?headers: Hash[String, String])
      #    -> void
      def initialize(app:, worker:, path:, host:, seconds:, headers: {})
        @app = app
        @worker = worker
        @path = path
        @host = host
        @headers = headers
        @seconds = seconds
      end

      # Yields the values of the headers Set-Cookie.
      #: (?String, ?String) ?{ (Array[String]) -> void } -> Outcome
      def call(method = "GET", body = "", &cookies)
        Timeout.timeout(@seconds, PlayOverdue, "took longer than timeout (#{@seconds} s)") do
          ForkSafety::StrayCopy.end_after { request(method, body, &cookies) } # the application may fork as well
        end
      rescue UserCodeError, NoMemoryError => error # the application's code
        Outcome.new(error: error)
      end

      private

      def request(method, input)
        env = env_of(method, input)
        status, headers, body = @app.call(env)
        read(body)
        finish(env, status, headers)
        yield cookies(headers) if block_given?
        error = self.class.error_in(env) if status >= 500
        Outcome.new(status: status, location: headers["location"] || headers["Location"], error: error)
      end

      def env_of(method, input)
        # https, because an application may redirect or refuse plain http.
        Rack::MockRequest.env_for("https://#{@host}#{@path}", method: method, input: input,
          "coppice.warm_up" => true, "coppice.worker" => @worker, "pitchfork.worker" => @worker,
          "rack.errors" => $stderr, "rack.response_finished" => [], "rack.after_reply" => [],
          **@headers.transform_keys { |name| key_of(name) })
      end

      # As a server names it in the env.
      def key_of(header)
        name = header.upcase.tr("-", "_")
        name == "CONTENT_TYPE" ? name : "HTTP_#{name}"
      end

      # A list, as Rack 3 has them, or lines, as Rack 2.
      def cookies(headers)
        Array(headers["set-cookie"] || headers["Set-Cookie"]).flat_map { |text| text.split("\n") }
      end

      # Reads the body to its end and closes it, as a server does.
      def read(body)
        body.respond_to?(:each) ? body.each(&:itself) : body.call(StringIO.new)
      ensure
        body.close if body.respond_to?(:close)
      end

      def finish(env, status, headers)
        env["rack.response_finished"].reverse_each { |callback| callback.call(env, status, headers, nil) }
        env["rack.after_reply"].each(&:call)
      end
    end
  end
end
