# frozen_string_literal: true

require "stringio"
require "timeout"
require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Cold
    # One GET request to one path of the application, like a client's request to a worker, but without a socket. Runs in
    # a fork of the loaded application, and is called twice there.
    class Play
      # `error` is the exception that the application raised, or left in the env behind an error page.
      Outcome = Struct.new(:status, :location, :error, keyword_init: true)

      # The env keys in which frameworks leave the exception behind an error page.
      ERROR_KEYS = %w[action_dispatch.exception sinatra.error rack.exception].freeze

      # Loads beforehand what only a play needs, so that it does not count as part of the first play.
      def self.prepare #: () -> void
        require "rack/mock"
        Rack::MockRequest.env_for("http://localhost/")
        Timeout.timeout(1) { nil }
      end

      # seconds: the timeout of one play.
      #: (app: untyped, worker: untyped, path: String, host: String, seconds: Numeric) -> void
      def initialize(app:, worker:, path:, host:, seconds:)
        @app = app
        @worker = worker
        @path = path
        @host = host
        @seconds = seconds
      end

      def call #: () -> Outcome
        Timeout.timeout(@seconds, PlayOverdue, "took longer than timeout (#{@seconds} s)") do
          ForkSafety::StrayCopy.end_after { request } # the application may fork as well
        end
      rescue StandardError, ScriptError, SystemStackError, NoMemoryError => error # the application's code
        Outcome.new(error: error)
      end

      private

      def request
        env = self.env
        status, headers, body = @app.call(env)
        read(body)
        finish(env, status, headers)
        error = ERROR_KEYS.filter_map { |key| env[key] }.first if status >= 500
        Outcome.new(status: status, location: headers["location"] || headers["Location"], error: error)
      end

      def env
        # https, because an application may redirect or refuse plain http.
        Rack::MockRequest.env_for("https://#{@host}#{@path}",
          "coppice.warm_up" => true, "coppice.worker" => @worker, "pitchfork.worker" => @worker,
          "rack.errors" => $stderr, "rack.response_finished" => [], "rack.after_reply" => [])
      end

      # As a server does: reads the body to its end and closes it.
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
