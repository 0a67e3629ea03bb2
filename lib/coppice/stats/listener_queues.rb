# frozen_string_literal: true

require "coppice/board"
require "coppice/listeners/socket_queues"
require "coppice/log/text"

module Coppice
  class Stats
    # The server's listeners, each with the number of connections that wait in its queues.
    class ListenerQueues
      #: (Board) -> void
      def initialize(board)
        @board = board
      end

      # A listener with several queues counts as one.
      #: () -> Array[Hash[Symbol, untyped]]
      def to_a
        listeners = parsed
        queues = Listeners::SocketQueues.of(listeners.flat_map(&:last), pid: @board.monitor_pid)
        listeners.map do |name, backlog, inodes|
          found = queues.values_at(*inodes).compact
          { name: name, queue: (found.sum(&:waiting) unless found.empty?),
            backlog: found.any? && found.all?(&:backlog) ? found.sum(&:backlog) : backlog }
        end
      end

      private

      def parsed
        Log::Text.valid(@board.listeners).lines(chomp: true).map do |line|
          backlog, inodes, name = line.split(" ", 3)
          [name.to_s, backlog.to_i, inodes.to_s.split(",").map(&:to_i)]
        end
      end
    end
  end
end
