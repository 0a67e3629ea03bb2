# frozen_string_literal: true

require "coppice/control/lobby_packet"
require "coppice/control/messages"
require "coppice/monitor/kernel/introduction"
require "coppice/monitor/lobby/lobby_handle"

module Coppice
  class Monitor
    # The part of Actions that is about the lobby: it spawns one, tells it what it must know, and gives workers seats.
    class LobbyActions
      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @roster = context.roster
        @rows = context.rows
        @settings = context.roster.settings
        @log = context.log
        @spawner = context.lobbies
      end

      # Workers wait for it, and for nothing else.
      #: (Float) -> void
      def spawn(now)
        ours, theirs = @system.lobby_channel_pair
        memory = @spawner.memory
        pid = @spawner.spawn(theirs, workers: @roster.target)
        row = @rows.take(role: :lobby, nr: nil, generation: 0)
        lobby = add(LobbyHandle.new(row: row, channel: ours, memory: memory,
                                    deadline: now + @settings.spawn_timeout), pid, now)
        Introduction.of(lobby, pid, system: @system, log: @log) { @spawner.introduce(lobby) }
      rescue SystemCallError => error
        @rows.release(row) if row
        @log.error("the lobby cannot be spawned", error: error.message)
        @roster.lobbies.failed(now)
      ensure
        theirs&.close
        [ours, memory].compact.each(&:close) unless lobby
      end

      # A seat at the present lobby that nobody has yet; nil without a lobby.
      #: () -> Seat?
      def new_seat = (@spawner.seat(@roster.children.seat_numbers.next) if @roster.lobby)

      # Gives it to a worker, and tells the lobby before the worker can know. Returns the descriptors for the worker.
      #: (Handle, Seat?) -> Hash[Symbol, Array[IO]]
      def seat(worker, seat)
        return {} unless seat

        lobby = @roster.lobby
        worker.seat = seat
        lobby.orders.add(packet(worker), about: [:seat, seat.number], descriptors: seat.for_lobby)
        lobby.orders.send
        { lobby: seat.for_worker(lobby.memory) }
      end

      # A worker that cannot be told, since its channel is full or the system has no memory for the descriptors, keeps
      # no seat, and is tried again.
      #: (Handle) -> void
      def reseat(worker)
        seat = new_seat
        message = Control::Messages::TakeSeat.new(seat: seat.number)
        sent = worker.channel.send(message, descriptors: seat(worker, seat))
      ensure
        if sent == :sent then seat.handed_over
        elsif worker.seat then take_back(worker)
        end
      end

      #: (LobbyHandle, Array[Control::LobbyPacket]) -> void
      def send_orders(lobby, packets)
        packets.each do |packet|
          next if lobby.orders.standing?(packet)

          lobby.orders.add(packet, descriptors: @roster.handshakes.descriptors(packet))
        end
        lobby.orders.send
      end

      #: (LobbyHandle, *String) -> void
      def tell(lobby, *words) = send_orders(lobby, words.map { |word| Control::LobbyPacket.of(word) })

      # It accepts no more clients, and exits once those that have come are served.
      #: (LobbyHandle) -> void
      def drain(lobby)
        tell(lobby, "closing", "drain")
        lobby.row.leaving = 1
        lobby.deadline = @roster.stop.deadline
        lobby.move(:leaving)
      end

      # Both processes get it. When no process is known, none is to come any more.
      #: (LobbyHandle, Symbol | Integer) -> void
      def signal(lobby, name)
        lobby.pids.each { |pid| @system.signal(pid, name) || lobby.forget(pid) }
        lobby.close_channel if lobby.pids.empty?
      end

      # The other process lives on, and with it the connections. One that is gone already is killed no more.
      #: (LobbyHandle, Symbol) -> void
      def kill_part(lobby, part)
        pid = lobby.pid_of(part) or return
        @log.error("killing the lobby's #{part}", **lobby.to_log, why: :unresponsive)
        @system.signal(pid, :KILL)
        lobby.keeper_hangs = false if part == :keeper
      end

      private

      def take_back(worker)
        @roster.lobby.orders.gone(worker.seat.number, "lost")
        worker.leave_seat
      end

      def add(lobby, keeper_pid, now)
        lobby.know(keeper_pid, :keeper)
        lobby.note_fork(now)
        @roster.add(lobby)
      end

      # With the places on the board, in bytes, where the lobby finds how long the worker's request takes.
      def packet(worker)
        places = { deadline: :deadline_ms, started: :started_ms }.transform_values do |column|
          worker.row.place_of(column).first * Board::CELL_BYTES
        end
        Control::LobbyPacket.of("seat", worker.seat.number, slot: worker.nr, generation: worker.generation, pid: 0,
                                                            first: on_trial?(worker) ? 1 : 0, **places)
      end

      # Without this, the workers beside it would serve all clients while there are few.
      def on_trial?(worker)
        worker.equal?(@roster.trial) || (!worker.parent.nil? && worker.parent.equal?(@roster.candidate))
      end
    end
  end
end
