# frozen_string_literal: true

module Coppice
  module Http
    # Says what the application did wrong: one log entry with the error, the request and
    # the backtrace. One in each worker.
    class Failures
      #: (untyped) -> void
      def initialize(logger)
        @logger = logger
      end

      #: (String, Exception, Hash[String, untyped]) -> void
      def log(what, error, env)
        @logger.exception(what, error, request: request_of(env))
      end

      # The body is not as long as its content-length said.
      #: (Integer, Hash[String, untyped]) -> void
      def log_length(missing, env)
        what = missing.positive? ? "#{missing} bytes shorter" : "#{-missing} bytes longer"
        @logger.error("the body is #{what} than its content-length", request: request_of(env))
      end

      # The client's fault, and nothing unusual; or ours, and something to look at.
      #: (Integer, String) -> void
      def refused(status, reason)
        level = status == 507 ? :error : :debug
        @logger.public_send(level, "request refused", status: status, why: reason)
      end

      # Not the application's fault, and nothing unusual.
      #: (String, **untyped) -> void
      def note(what, **details)
        @logger.debug(what, **details)
      end

      private

      def request_of(env) = "#{env['REQUEST_METHOD']} #{env['PATH_INFO']}"
    end
  end
end
