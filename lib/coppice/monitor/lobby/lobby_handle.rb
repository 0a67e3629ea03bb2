# frozen_string_literal: true

require "coppice/monitor/state/handle"
require "coppice/monitor/lobby/lobby_orders"

module Coppice
  class Monitor
    # The lobby as the monitor knows it: one child of two processes, the loop and its keeper. Either makes the other
    # again when it is lost; the lobby is gone when both are. Its pid is the loop's. Owns the memory that the lobby
    # shares with workers.
    class LobbyHandle < Handle
      attr_reader :orders #: LobbyOrders
      attr_reader :memory #: LobbyMemory
      attr_accessor :keeper_hangs #: bool

      #: (memory: LobbyMemory, **untyped) -> void
      def initialize(memory:, **fields)
        super(ChildKind.new(:lobby, generation: 0), **fields)
        @memory = memory
        @orders = LobbyOrders.new(channel)
        @keeper_hangs = false
        @processes = {} # pid => :keeper or :loop
      end

      # Of all its processes that are not reaped yet.
      #: () -> Array[Integer]
      def pids = @processes.keys

      # Of that part, :keeper or :loop; nil while there is none.
      #: (Symbol) -> Integer?
      def pid_of(part) = @processes.key(part)

      # The keeper comes first: a loop that is killed before it would be replaced.
      #: (Integer, Symbol) -> void
      def know(pid, part)
        @processes[pid] = part
        part == :loop ? self.pid = pid : changed
      end

      # That process is gone: returns which part it was.
      #: (Integer) -> Symbol?
      def forget(pid)
        self.pid = nil if self.pid == pid
        part = @processes.delete(pid)
        @keeper_hangs = false if part == :keeper
        changed
        part
      end

      # Whether neither process is there any more, nor one that has not registered yet.
      #: () -> bool
      def lost? = @processes.empty? && channel.closed?

      # Closes the shared memory as well: workers have their own descriptors of it.
      #: () -> void
      def close
        super
        memory.close
      end
    end
  end
end
