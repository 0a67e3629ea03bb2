# frozen_string_literal: true

require "stringio"
require "timeout"
require "coppice/errors"
require "coppice/fork_safety/stray_copy"

module Coppice
  module Cold
    # One GET of one path through the application, as a worker's client would ask for it, but for the socket. Runs in a
    # fork of the loaded application; called twice there.
    class Play
      # What came of it. `error` is what the application raised, or left for an error page in the env.
      Outcome = Struct.new(:status, :location, :error, keyword_init: true)

      # Where frameworks leave the exception that they answer with an error page.
      ERROR_KEYS = %w[action_dispatch.exception sinatra.error rack.exception].freeze

      # Loads what only a play needs, once, or the first one would be blamed for it.
      def self.prepare #: () -> void
        require "rack/mock"
        Rack::MockRequest.env_for("http://localhost/")
        Timeout.timeout(1) { nil }
      end

      # seconds: how long it may take.
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
          ForkSafety::StrayCopy.end_after { ask } # the application may fork, too
        end
      rescue StandardError, ScriptError, SystemStackError, NoMemoryError => error # the application's code
        Outcome.new(error: error)
      end

      private

      def ask
        env = self.env
        status, headers, body = @app.call(env)
        read(body)
        finish(env, status, headers)
        error = ERROR_KEYS.filter_map { |key| env[key] }.first if status >= 500
        Outcome.new(status: status, location: headers["location"] || headers["Location"], error: error)
      end

      def env
        # An application may refuse anything but https.
        Rack::MockRequest.env_for("https://#{@host}#{@path}",
          "coppice.warm_up" => true, "coppice.worker" => @worker, "pitchfork.worker" => @worker,
          "rack.errors" => $stderr, "rack.response_finished" => [], "rack.after_reply" => [])
      end

      # A server reads a body to its end and closes it.
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
