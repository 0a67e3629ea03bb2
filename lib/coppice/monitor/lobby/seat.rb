# frozen_string_literal: true

require "socket"
require "coppice/coppice_ext"
require "coppice/monitor/lobby/lobby_memory"

module Coppice
  class Monitor
    # A worker's place at the lobby: its number, and what the two share. The monitor keeps the lobby's descriptors, to
    # send them again to a successor of the lobby's loop. lobby_end and worker_end: of the seat's socket. fault: why its
    # worker must be killed, if it must. :spoilt_ring: it has written answers that make no sense; :lost_seat: the lobby
    # had no descriptor left for the seat, so nobody reads its answers.
    Seat = Struct.new(:number, :ring, :eventfd, :lobby_end, :worker_end, :fault, keyword_init: true) do
      # A seat with a new ring. Raises SystemCallError when the system has no descriptor left.
      #: (Integer) -> Seat
      def self.make(number)
        seat = new(number: number)
        seat.ring = File.for_fd(OS.memory_file("coppice-ring", true), "r+b")
        LobbySeat.prepare_ring(seat.ring.fileno)
        seat.eventfd = IO.for_fd(OS.eventfd)
        seat.lobby_end, seat.worker_end = UNIXSocket.pair(:SEQPACKET)
        seat
      rescue SystemCallError
        seat&.close
        raise
      end

      # What the lobby gets.
      #: () -> Array[IO]
      def for_lobby = [ring, eventfd, lobby_end].compact

      # What the worker gets, given the lobby's memory.
      #: (LobbyMemory) -> Array[IO]
      def for_worker(memory) = [memory.requests, memory.queue, ring, eventfd, memory.eventfd, worker_end].compact

      # The worker has its end now: the lobby is to see when the worker closes it.
      #: () -> void
      def handed_over = worker_end&.close

      #: () -> void
      def close = [ring, eventfd, lobby_end, worker_end].compact.each(&:close)
    end
  end
end
