# frozen_string_literal: true

require "ipaddr"

module Coppice
  module Listeners
    # The proxies that may say which scheme a request has. The peer of a Unix socket is always trusted: it is on this
    # machine, and has the permission to write to the socket.
    class TrustedProxies
      # Number of remembered verdicts: one proxy costs a lookup, and many clients cost little memory.
      REMEMBERED = 256

      #: (Array[String]) -> void
      def initialize(networks)
        @networks = networks.map { |network| IPAddr.new(network) }
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
  end
end
