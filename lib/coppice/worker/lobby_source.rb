# frozen_string_literal: true

require "coppice/coppice_ext"

module Coppice
  class Worker
    # The lobby as a source of clients. The next request is in shared memory: to look for it takes no system call, and
    # so the worker looks there first. Before it sleeps it announces that the lobby has to wake it.
    class LobbySource
      NAP_MS = 1 # of a worker that leaves a request to others, which may not be awake for it

      #: (LobbySeat) -> void
      def initialize(seat)
        @seat = seat
      end

      # Registers with the waiter. The lobby writes to the seat's descriptor to wake this worker alone.
      #: (Waiter) -> void
      def register_with(waiter) = waiter.add_edge(@seat.fileno, self)

      # Returns whether there was a request for the connection.
      #: (Http::Connection) -> bool
      def accept(connection) = @seat.pop_into(connection)

      # Yields the milliseconds to sleep, at most as many, unless there is a request. Returns what the block does, and
      # whether the lobby has woken this worker for a request: no other worker is awake for it.
      #: (Integer) { (Integer) -> untyped } -> [untyped, bool]
      def idle(milliseconds)
        return [nil, false] unless @seat.sleep?

        [yield(@seat.awaited? ? NAP_MS : milliseconds), @seat.awake]
      end

      # Sleeps until there may be a request, the lobby has left, or the time is over.
      #: (Integer) -> void
      def wait(milliseconds)
        @waiter ||= Waiter.new.add_edge(@seat.fileno, self).add(@seat.socket_fileno, :socket)
        idle(milliseconds) { |sleep_ms| @waiter.wait(sleep_ms) }
      end

      # Whether the lobby has left, so that no request can come.
      #: () -> bool
      def ended? = @seat.ended?

      # The lobby has the listeners.
      #: () -> void
      def refuse_new_connections = nil

      # Called between two requests, when another lobby takes its place.
      #: (Waiter) -> void
      def unregister_from(waiter)
        waiter.remove(@seat.fileno)
        close
      end

      #: () -> void
      def close
        @waiter&.close
        @seat.close
      end
    end
  end
end
