# frozen_string_literal: true

require "socket"

module Coppice
  class ThreadedServer
    # A client whose request has not come yet. Tells when all of its head is there, and reads nothing of it: that is for
    # the thread that serves the client, which one that sends byte by byte would occupy.
    class Arrival
      BLANK_LINES = /\A[\r\n]+/n.freeze
      END_OF_HEAD = /\n\r?\n/n.freeze
      NO_METHOD = /\A[^A-Z]/in.freeze # TLS, for example: it waits for an answer

      attr_reader :client #: Client
      attr_reader :limit #: Float -- when its time is over

      # most: how many bytes a head may have.
      #: (Client, limit: Float, most: Integer) -> void
      def initialize(client, limit:, most:)
        @client = client
        @limit = limit
        @most = most
        @seen = 0 # bytes
      end

      # Call it when the socket is readable. Until the head is there, the socket is not readable again before more of it
      # has come. Where it is nevertheless, the client has ended, or the system knows no SO_RCVLOWAT for such a socket,
      # as for those of Unix: then a thread has to wait.
      #: () -> bool
      def complete?
        bytes = @client.socket.recv_nonblock(@most, Socket::MSG_PEEK, exception: false)
        return false if bytes == :wait_readable
        return true if bytes.to_s.bytesize <= @seen || whole?(bytes)

        @seen = bytes.bytesize
        await(@seen + 1)
        false
      rescue SystemCallError # the thread notices it as well
        true
      end

      # Whether a part of the request is there.
      #: () -> bool
      def begun? = @seen.positive?

      # Returns the client, to be read as usual.
      #: () -> Client
      def handed_over
        await(1) if begun?
        @client
      end

      private

      def whole?(bytes)
        return true if bytes.bytesize >= @most

        head = bytes.sub(BLANK_LINES, "")
        head.match?(NO_METHOD) || head.match?(END_OF_HEAD)
      end

      def await(bytes)
        @client.socket.setsockopt(:SOCKET, :RCVLOWAT, bytes)
      rescue SystemCallError # the client is gone, or the system has no such option
        nil
      end
    end
  end
end
