# frozen_string_literal: true

module Coppice
  module Http
    # Logs what applications and clients do wrong: one entry with the error, the request and the backtrace.
    class Failures
      #: (Log) -> void
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

      # Usually the client's fault, and not worth a line of the log; but 507 means that this machine lacks something.
      #: (Integer, String) -> void
      def refused(status, reason)
        level = status == 507 ? :error : :debug
        @logger.public_send(level, "request refused", status: status, why: reason)
      end

      # Not the application's fault, and not worth a line of the log.
      #: (String) -> void
      def note(what)
        @logger.debug(what)
      end

      private

      def request_of(env) = "#{env['REQUEST_METHOD']} #{env['PATH_INFO']}"
    end
  end
end
