# frozen_string_literal: true

require "socket"
require "coppice/listeners/address"

module Coppice
  module Config
    # The hosts that addresses of `listen` stand for. An application in development shows its source in error pages and
    # may offer a console, so it must not be reachable from the network by accident: a port without a host is then one
    # of localhost. Where nobody has named the environment, the file of a container or a unit may rely on being reached:
    # its ports stay open, and a note says so.
    class ListenHosts
      DEVELOPMENT = "development"
      LOCALHOST = "localhost"

      # named: the environment as its user named it, or nil.
      #: (String?) -> void
      def initialize(named)
        @named = named
      end

      # The host of -p, of PORT, and of the default address.
      #: () -> String
      def default = [nil, DEVELOPMENT].include?(@named) ? LOCALHOST : Listeners::AddressParser::ANY_HOST

      # With localhost as the host of a port alone, where that is what it stands for.
      #: (Array[Listeners::Address]) -> Array[Listeners::Address]
      def name(addresses)
        addresses.map do |address|
          address.without_host && @named == DEVELOPMENT ? address.with_host(LOCALHOST) : address
        end
      end

      # Both of localhost, if the machine has both: browsers try both, and programs take the one that they happen to
      # know.
      #: (Array[Listeners::Address]) -> Array[Listeners::Address]
      def resolve(addresses)
        addresses.flat_map { |address| hosts(address).map { |host| address.with_host(host) } }.uniq.freeze
      end

      # About those that have no host and no environment.
      #: (Array[Listeners::Address]) -> Array[String]
      def notes(addresses)
        open = addresses.find(&:without_host) unless @named
        return [] unless open

        ["port #{open.port} is open to other machines, and the environment is development, because nothing names " \
         "one. Name it (RACK_ENV, or -E), or write the host: \"localhost:#{open.port}\" or \"*:#{open.port}\""]
      end

      private

      def hosts(address) = address.host == LOCALHOST ? loopback : [address.host]
      def loopback = ["127.0.0.1", *("::1" if Socket.ip_address_list.any?(&:ipv6_loopback?))]
    end
  end
end
