# frozen_string_literal: true

require "socket"

module Coppice
  class ThreadedServer
    # The answer to a client whose head is not complete in time.
    LATE_HEAD = "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

    # A client that was accepted: its socket, and its address as the Rack env has it; "" for that of a Unix socket.
    # copies: Http::Connection.copies of before it was accepted. https: whether it used TLS to the proxy.
    Client = Struct.new(:socket, :address, :copies, :https) do
      #: (BasicSocket, Integer, https: bool) -> Client
      def self.of(socket, copies, https:)
        peer = socket.remote_address
        return new(socket, "", copies, https) unless peer.ip?

        peer = peer.ipv6_to_ipv4 if peer.ipv6_v4mapped?
        new(socket, peer.ip_address[/[^%]+/], copies, https) # a link-local address without its interface
      end

      # Reads what has come of the head. The kernel resets a connection that is closed with unread bytes, and the client
      # may lose the response.
      #: (Integer) -> void
      def refuse_late_head(bytes)
        socket.recv_nonblock(bytes, exception: false)
        socket.write_nonblock(LATE_HEAD, exception: false)
      rescue SystemCallError # the client has left already
        nil
      end

      # Without an answer. A process that the application has forked since may have the descriptor as well, so that a
      # close alone would not tell the client. Idempotent.
      #: () -> void
      def close
        socket.shutdown
      rescue SystemCallError, IOError # the client has left already, or it is closed
        nil
      ensure
        socket.close
      end
    end
  end
end
