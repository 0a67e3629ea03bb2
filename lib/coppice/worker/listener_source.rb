# frozen_string_literal: true

require "coppice/listeners/syn_filter"

module Coppice
  class Worker
    # A listening socket as a source of clients. A source enters a waiter, which answers it when it may have a client,
    # and gives the connection its next client.
    class ListenerSource
      # What accept(2) raises when this process or the machine has no room for one more connection; and seconds until
      # the next try.
      NO_ROOM = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
      PAUSE_WITHOUT_ROOM = 0.5

      #: (Socket, Log) -> void
      def initialize(listener, log)
        @listener = listener
        @descriptor = listener.fileno
        @log = log
      end

      # All workers wait for the same socket: one of them is woken for a new client.
      #: (Waiter) -> void
      def enter(waiter) = waiter.add_shared(@descriptor, self)

      # Answers whether there was a client for the connection.
      #: (Http::Connection) -> bool
      def accept(connection)
        connection.accept(@descriptor)
      rescue *NO_ROOM => error
        @log.error("cannot accept", error: error.message, again_in: PAUSE_WITHOUT_ROOM)
        sleep(PAUSE_WITHOUT_ROOM) # the client waits in the queue, and epoll would report it again at once
        false
      end

      # Clients whose connection is established stay in the queue.
      #: () -> void
      def refuse_new_connections = Listeners::SynFilter.refuse_new_connections(@listener)

      #: () -> void
      def close = @listener.close
    end
  end
end
