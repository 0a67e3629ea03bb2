# frozen_string_literal: true

require "socket"
require "coppice/listeners/listener"

module Coppice
  module Listeners
    # Sockets that systemd has opened for us (socket activation). Runs in the monitor. One that matches no address to
    # listen on is left alone.
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
        matching = @descriptors.select { |descriptor| place(descriptor) == address.to_s }
        return if matching.empty?

        @descriptors -= matching
        Listener.adopted(address, matching)
      end

      private

      # The address of the socket, as Address#to_s writes it.
      def place(descriptor)
        socket = Socket.for_fd(descriptor)
        socket.autoclose = false
        here = socket.local_address
        here.unix? ? here.unix_path : here.inspect_sockaddr
      rescue SystemCallError # it is no socket
        nil
      end
    end
  end
end
