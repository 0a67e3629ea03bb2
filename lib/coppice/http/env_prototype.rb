# frozen_string_literal: true

require "coppice/version"

module Coppice
  module Http
    # The part of env that is the same for all requests of a worker. It is made once in each worker; C code copies it
    # and adds what the client sent.
    class EnvPrototype
      # marks: more entries for each env.
      #: (Config::Settings, Worker, ?Hash[String, untyped], trusted_proxies: Listeners::TrustedProxies) -> void
      def initialize(settings, worker, marks = {}, trusted_proxies:)
        @trusted_proxies = trusted_proxies
        @allow_underscore = settings.allow_underscore_headers
        @constant = cgi.merge(rack(settings), "coppice.worker" => worker, "pitchfork.worker" => worker, **marks).freeze
      end

      # A new env for the request whose head was read.
      #: (Connection) -> Hash[String, untyped]
      def env_of(connection)
        env = connection.env(@constant, @trusted_proxies, @allow_underscore)
        env["rack.response_finished"] = []
        env["rack.after_reply"] = []
        env
      end

      private

      def cgi
        {
          "REQUEST_METHOD" => "GET", "SCRIPT_NAME" => "", "QUERY_STRING" => "", "FRAGMENT" => "",
          "SERVER_PROTOCOL" => "HTTP/1.1", "HTTP_VERSION" => "HTTP/1.1",
          "SERVER_NAME" => "localhost", "SERVER_PORT" => "80",
          "SERVER_SOFTWARE" => "Coppice #{VERSION}".freeze, "GATEWAY_INTERFACE" => "CGI/1.2"
        }
      end

      def rack(settings)
        constant = {
          "rack.version" => [1, 2].freeze, "rack.errors" => $stderr, "rack.url_scheme" => "http",
          "rack.multithread" => false, "rack.multiprocess" => true, "rack.run_once" => false, "rack.hijack?" => true
        }
        constant["rack.logger"] = settings.logger if settings.logger
        constant
      end
    end
  end
end
