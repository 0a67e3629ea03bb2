# frozen_string_literal: true

require "socket"
require "coppice/errors"

module Coppice
  module Listeners
    # Binds the sockets of one TCP address; listen(2) comes later.
    #
    # Between bind and listen no other server may bind the address: it would start well and fail minutes later.
    # SO_REUSEADDR, which is needed when a former server has left connections in TIME_WAIT, also lets two sockets bind
    # the same address as long as neither listens. So it is used to bind only when bind fails without it, and is off
    # until Listener#listen! turns it on, for the connections to inherit.
    class TcpBinder
      #: (Address) -> void
      def initialize(address)
        @address = address
        @options = address.options
      end

      # One socket for each queue, all at the same port. Raises SystemCallError, or BindError for an unknown host.
      def bind #: () -> Array[Socket]
        place = resolve
        probe(place) if queues > 1 && !@options[:reuseport]
        sockets = [bind_socket(place)]
        place = sockets.first.local_address
        sockets << bind_socket(place) while sockets.size < queues
        sockets
      rescue SystemCallError
        sockets&.each(&:close)
        raise
      end

      private

      def queues
        @options[:queues]
      end

      def resolve
        Addrinfo.getaddrinfo(@address.host, @address.port, nil, :STREAM).first
      rescue SocketError => error
        raise BindError, "cannot listen on #{@address}: #{error.message}"
      end

      # Sockets of several queues share their address by SO_REUSEPORT, with any process that sets it: even a second
      # Coppice. So a bind without it finds out whether the address is free.
      def probe(place)
        bind_socket(place, share: false).close unless place.ip_port.zero?
      end

      def bind_socket(place, share: @options[:reuseport] || queues > 1)
        try_to_bind(place, share: share, reuse: false)
      rescue Errno::EADDRINUSE
        try_to_bind(place, share: share, reuse: true)
      end

      def try_to_bind(place, share:, reuse:)
        socket = Socket.new(place.afamily, :STREAM)
        socket.setsockopt(:IPV6, :V6ONLY, @options[:ipv6only]) if place.ipv6? && !@options[:ipv6only].nil?
        socket.setsockopt(:SOCKET, :REUSEPORT, true) if share
        socket.setsockopt(:SOCKET, :REUSEADDR, reuse)
        socket.bind(place)
        socket.setsockopt(:SOCKET, :REUSEADDR, false)
        configure(socket)
        socket
      rescue SystemCallError
        socket&.close
        raise
      end

      # Accepted connections inherit all of these options but the last. A corked connection sends the end of a response
      # only when it is closed, or after 200 ms, so the lobby, which keeps connections open, has none. Nor does it need
      # the kernel to hold back clients that send nothing.
      def configure(socket)
        socket.setsockopt(:SOCKET, :KEEPALIVE, true)
        socket.setsockopt(:TCP, :NODELAY, @options[:tcp_nodelay] || @address.lobby?)
        return unless RUBY_PLATFORM.include?("linux")

        socket.setsockopt(:TCP, :CORK, @options[:tcp_nopush] && !@address.lobby?)
        socket.setsockopt(:TCP, :DEFER_ACCEPT, @address.lobby? ? 0 : @options[:tcp_defer_accept])
      end
    end
  end
end
