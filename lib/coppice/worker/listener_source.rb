# frozen_string_literal: true

require "coppice/listeners/syn_filter"

module Coppice
  class Worker
    # A listening socket as a source of clients. It registers with a waiter, which returns it when it may have a client,
    # and accepts the next client into the connection.
    class ListenerSource
      # Errors of accept(2) when this process or the machine has no descriptor or memory for one more connection.
      EXHAUSTED = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
      PAUSE_WHEN_EXHAUSTED = 0.5 # seconds until the next attempt

      # borrowed: whether another process, such as systemd, goes on listening there. https: whether the clients use TLS
      # to the proxy.
      #: (Socket, Log, ?borrowed: bool, ?https: bool) -> void
      def initialize(listener, log, borrowed: false, https: false)
        @listener = listener
        @borrowed = borrowed
        @https = https
        @descriptor = listener.fileno
        @log = log
      end

      # Registers with the waiter. All workers wait for the same socket, and the kernel wakes one for each new client.
      #: (Waiter) -> void
      def register_with(waiter) = waiter.add_shared(@descriptor, self)

      # Returns whether there was a client for the connection.
      #: (Http::Connection) -> bool
      def accept(connection)
        return false unless connection.accept(@descriptor)

        connection.https = @https
        true
      rescue *EXHAUSTED => error
        @log.error("cannot accept", error: error.message, again_in: PAUSE_WHEN_EXHAUSTED)
        Kernel.sleep(PAUSE_WHEN_EXHAUSTED) # the client waits in the queue, and epoll would report it again at once
        false
      end

      # Makes the kernel refuse new clients, unless they are another process's as well. Clients that have connected
      # stay in the queue.
      #: () -> void
      def refuse_new_connections = @borrowed || Listeners::SynFilter.refuse_new_connections(@listener)

      #: () -> void
      def close = @listener.close
    end
  end
end
