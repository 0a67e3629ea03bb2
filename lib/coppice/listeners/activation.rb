# frozen_string_literal: true

require "socket"
require "coppice/listeners/listener"

module Coppice
  module Listeners
    # Sockets that systemd has opened for us (socket activation). Runs in the monitor. One that matches no address to
    # listen on is left alone. A port alone is for systemd one on all IPv6 and IPv4 addresses, and for us one on all
    # IPv4 addresses: the former is taken for the latter.
    class Activation
      FIRST_DESCRIPTOR = 3

      #: (?Hash[String, String]) -> void
      def initialize(environment = ENV)
        count = environment["LISTEN_PID"].to_i == Process.pid ? environment["LISTEN_FDS"].to_i : 0
        @descriptors = Array.new(count) { |index| FIRST_DESCRIPTOR + index }
      end

      # A listener with all passed sockets at this address, or nil.
      #: (Address) -> Listener?
      def take(address)
        matching = @descriptors.select { |descriptor| places(descriptor).include?(address.to_s) }
        return if matching.empty?

        @descriptors -= matching
        Listener.adopted(address, matching)
      end

      private

      # The addresses that clients of the socket may mean, as Address#to_s writes them.
      def places(descriptor)
        socket = Socket.for_fd(descriptor)
        socket.autoclose = false
        here = socket.local_address
        return [here.unix_path] if here.unix?

        both_families?(socket, here) ? [here.inspect_sockaddr, "0.0.0.0:#{here.ip_port}"] : [here.inspect_sockaddr]
      rescue SystemCallError # it is no socket
        []
      end

      def both_families?(socket, here)
        here.ipv6_unspecified? && !socket.getsockopt(:IPV6, :V6ONLY).bool
      end
    end
  end
end
