# frozen_string_literal: true

require "ipaddr"
require "coppice/version"

module Coppice
  module Http
    # The proxies that may say which scheme a request has. The peer of a Unix socket is always trusted: it is on this
    # machine, and has the permission to write to the socket.
    class TrustedProxies
      # Loopback and the private networks, where the user's own proxies are.
      DEFAULT = %w[
        127.0.0.0/8 ::1 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fe80::/10
      ].freeze

      # Number of remembered verdicts: one proxy costs a lookup, and many clients cost little memory.
      REMEMBERED = 256

      #: (?Array[String]?) -> void
      def initialize(networks = nil)
        @networks = (networks || DEFAULT).map { |network| IPAddr.new(network) }
        @verdicts = {}
      end

      # nil stands for a Unix socket.
      #: (String?) -> bool
      def include?(address)
        return true unless address

        @verdicts.clear if @verdicts.size >= REMEMBERED
        @verdicts.fetch(address) { @verdicts[address] = trusted?(address) }
      end

      private

      def trusted?(address)
        ip = IPAddr.new(address)
        @networks.any? { |network| network.include?(ip) }
      rescue IPAddr::Error
        false
      end
    end

    # The part of env that is the same for all requests of a worker. It is made once in each worker; C code copies it
    # and adds what the client sent.
    class EnvPrototype
      # marks: more entries for each env.
      #: (Config::Settings, Worker, ?Hash[String, untyped]) -> void
      def initialize(settings, worker, marks = {})
        @trusted_proxies = TrustedProxies.new(settings.trusted_proxies)
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
          "SERVER_SOFTWARE" => "Coppice #{VERSION}", "GATEWAY_INTERFACE" => "CGI/1.2"
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
