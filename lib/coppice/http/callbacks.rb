# frozen_string_literal: true

require "coppice/fork_safety/stray_copy"

module Coppice
  module Http
    # Runs what the application wants done after the response. One in each worker. No
    # callback can keep another from running.
    class Callbacks
      #: (Failures) -> void
      def initialize(failures)
        @failures = failures
      end

      # rack.response_finished in reverse order, with what became of the request; then rack.after_reply; then
      # temporary files of uploads are removed, as Rack::TempfileReaper would, but without a wrapper around each body.
      #: (Hash[String, untyped], untyped, untyped, Exception?) -> void
      def run(env, status, headers, error)
        finished = env["rack.response_finished"]
        finished&.reverse_each { |callback| guard(env) { callback.call(env, status, headers, error) } }
        env["rack.after_reply"]&.each { |callback| guard(env) { callback.call } }
        env["rack.tempfiles"]&.each { |file| guard(env) { file.close! } }
      end

      private

      def guard(env, &callback)
        ForkSafety::StrayCopy.end_after(&callback)
      rescue StandardError, ScriptError => error # the application's code: it may fail in any way
        @failures.log("a callback after the response failed", error, env)
      end
    end
  end
end
