# frozen_string_literal: true

require "socket"

module Coppice
  class ThreadedServer
    # A client that was accepted: its socket, and its address as the Rack env has it; "" for that of a Unix socket.
    Client = Struct.new(:socket, :address) do
      #: (BasicSocket) -> Client
      def self.of(socket)
        peer = socket.remote_address
        return new(socket, "") unless peer.ip?

        peer = peer.ipv6_to_ipv4 if peer.ipv6_v4mapped?
        new(socket, peer.ip_address[/[^%]+/]) # a link-local address without its interface
      end

      #: () -> void
      def close = socket.close
    end
  end
end
