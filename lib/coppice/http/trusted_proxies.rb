# frozen_string_literal: true

require "ipaddr"

module Coppice
  module Http
    # Whose word on the scheme of a request counts. Runs in workers. A UNIX socket's
    # peer is on this machine, put there by whoever may write to the socket: always trusted.
    class TrustedProxies
      # Loopback and the private ranges: where a proxy of one's own lives.
      DEFAULT = %w[
        127.0.0.0/8 ::1 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fe80::/10
      ].freeze

      # Verdicts kept, so that the one proxy in front costs a lookup and a crowd of clients no memory.
      REMEMBERED = 256

      #: (?Array[String]?) -> void
      def initialize(networks = nil)
        @networks = (networks || DEFAULT).map { |network| IPAddr.new(network) }
        @verdicts = {}
      end

      # nil stands for a UNIX socket.
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
  end
end
