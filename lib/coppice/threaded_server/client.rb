# frozen_string_literal: true

require "socket"
require "coppice/http/error_page"

module Coppice
  class ThreadedServer
    # A client that was accepted: its socket, and its address as the Rack env has it; "" for that of a Unix socket.
    # copies: Http::Connection.copies of before it was accepted. https: whether it used TLS to the proxy. bytes: what
    # was read of it already. request_id: of the first request, if the lobby has made one.
    Client = Struct.new(:socket, :address, :copies, :https, :bytes, :request_id) do
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
        answer("408 Request Timeout", "the head did not arrive within client_header_timeout")
      rescue SystemCallError # the client has left already
        nil
      end

      # There is no room for one more.
      #: () -> void
      def refuse
        answer("503 Service Unavailable", "no descriptor is left for this connection")
      rescue SystemCallError # the client has left already
        nil
      ensure
        close
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

      private

      # As the exchange of a thread refuses a request, which would wait for the rest.
      def answer(status, reason)
        page = Http::ErrorPage.text(status.to_i, reason)
        fields = Http::ErrorPage::HEADERS.merge("content-length" => page.bytesize)
        text = ["HTTP/1.1 #{status}", *fields.map { |field| field.join(": ") }, "", page].join("\r\n")
        socket.write_nonblock(text, exception: false)
      end
    end
  end
end
