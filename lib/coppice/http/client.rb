# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/client_sockets"
require "coppice/fork_safety/thread_census"

module Coppice
  module Http
    # A request's client, for the application: to take over its socket (env["rack.hijack"]), to send it early hints, or
    # to look at the socket (env["coppice.socket"].to_io). It lasts for one request; released by the exchange, it
    # raises IOError. A Ruby IO is made only when the application asks for one.
    class Client
      #: (Connection, Hash[String, untyped]) -> void
      def initialize(connection, env)
        @connection = connection
        @env = env
      end

      # rack.hijack: the socket is the application's from now on, to answer on and to close.
      #: () -> BasicSocket
      def call
        @env["rack.hijack_io"] ||= take_over
      end

      # The socket, to look at; valid until the request is over.
      #: () -> BasicSocket
      def to_io
        @view ||= ForkSafety::ClientSockets.note(borrowed.dup)
      end

      # rack.early_hints: sends 103.
      #: (Hash[String, untyped]) -> nil
      def early_hints(headers)
        connection.early_hints(headers)
      end

      # Ends the connection that the application has taken over, unless a thread or process that was started since may
      # have it. The object is left open for an older thread, such as an event loop, which learns of the end so.
      #: () -> void
      def end_taken
        @taken.shutdown if @taken && (Thread.list - @threads).empty? && Connection.copies == @copies
      rescue SystemCallError, IOError
        nil # the client has left, or the application has closed it
      end

      # The request has ended.
      #: () -> void
      def release
        close_view
        @connection = nil
        ForkSafety::ThreadCensus.exempt(Thread.list - @threads) if @threads
      end

      private

      def close_view
        @view&.close
      rescue SystemCallError # the application has closed the descriptor by another object
        nil
      end

      # Ruby must not close a descriptor that is the connection's.
      def borrowed = socket_class.for_fd(connection.fileno).tap { |io| io.autoclose = false }

      # A thread that the application starts for this client need not exist in a copy of the process.
      def take_over
        @threads = Thread.list
        @copies = Connection.copies
        descriptor, ahead = connection.detach
        io = socket_class.for_fd(descriptor)
        io.sync = true
        io.ungetbyte(ahead) unless ahead.empty?
        @taken = ForkSafety::ClientSockets.note(io)
      end

      def socket_class
        require "socket" # only applications that ask pay for it
        connection.unix? ? UNIXSocket : TCPSocket
      end

      def connection = @connection || raise(IOError, "the request has ended")
    end
  end
end
