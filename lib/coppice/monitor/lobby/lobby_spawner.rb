# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/log/access_file"
require "coppice/monitor/lobby/lobby_settings"
require "coppice/monitor/lobby/seat"

module Coppice
  class Monitor
    # Spawns the lobby: a program in C that meets the clients of all listeners that want it.
    class LobbySpawner
      # Of fcntl(2): F_ADD_SEALS and F_SEAL_FUTURE_WRITE, which Ruby has no names for.
      ADD_SEALS = 1033
      SEAL_FUTURE_WRITE = 0x10

      # The program, which lies beside the extension. If that was removed with the first release's bundle: the one of a
      # later release.
      #: () -> String
      def self.executable
        extension = $LOADED_FEATURES.find { |path| path.end_with?("/coppice_ext.so") }
        first = File.join(File.dirname(extension), "coppice-lobby")
        return first if File.file?(first)

        $LOAD_PATH.flat_map { |folder| Dir.glob("#{folder}/coppice/*/coppice-lobby") }.first || first
      end

      # Why there can be no lobby on this system; nil if there can be one.
      #: () -> String?
      def self.obstacle
        return "there is no program #{executable}" unless File.executable?(executable)

        "the kernel cannot seal memory: Linux 5.1 can" unless seals?
      end

      def self.seals?
        file = IO.for_fd(OS.memory_file("coppice-probe", true))
        file.fcntl(ADD_SEALS, SEAL_FUTURE_WRITE)
        true
      rescue Errno::EINVAL, Errno::EPERM
        false
      ensure
        file&.close
      end
      private_class_method :seals?

      #: (settings: Config::Settings, board: Board, port: ServingPort, system: System, log: Log) -> void
      def initialize(settings:, board:, port:, system:, log:)
        @settings = settings
        @lobby_settings = LobbySettings.new(settings)
        @board = board
        @port = port
        @system = system
        @log = log
      end

      # For a new lobby. Raises SystemCallError, as the other methods do.
      #: () -> LobbyMemory
      def memory = LobbyMemory.make

      # For a worker.
      #: (Integer) -> Seat
      def seat(number) = Seat.make(number)

      # Returns the pid of the keeper, which makes the other process. It inherits the channel's end.
      #: (Control::LobbyChannel, workers: Integer) -> Integer
      def spawn(channel, workers:)
        limit = [@lobby_settings.descriptors(workers), @system.descriptor_limit].min
        @max_connections = fit_connections(limit, workers)
        @system.spawn_lobby(channel, executable: self.class.executable, own_group: @settings.setpgid,
                                     descriptors: limit)
      end

      # The first packet.
      #: (LobbyHandle) -> void
      def introduce(lobby)
        log = open_access_log
        shared = [lobby.memory.requests, lobby.memory.queue, IO.for_fd(@board.fileno, autoclose: false),
                  lobby.memory.eventfd, log].compact
        seen = lobby.row.place_of(:seen_ms).first * Board::CELL_BYTES
        packet = @lobby_settings.packet(@port.with_lobby, max_connections: @max_connections, seen: seen)
        lobby.channel.send(packet, descriptors: { all: shared + @port.with_lobby.flat_map(&:sockets) })
      ensure
        log&.close
      end

      private

      # Says once that there are fewer.
      def fit_connections(limit, workers)
        connections = @lobby_settings.connections(limit, workers)
        if connections < @settings.max_connections && connections != @max_connections
          @log.warn("fewer connections than max_connections: raise the limit of file descriptors (ulimit -Hn)",
            connections: connections, max_connections: @settings.max_connections, descriptors: limit)
        end
        connections
      end

      # nil without one. A file that cannot be opened any more costs its lines, not the lobby.
      def open_access_log
        format, path = @settings.access_log
        return unless format

        path ? Log::AccessFile.open(path) : $stdout.dup
      rescue SystemCallError => error
        @log.error("could not open the access log: mend it, then `coppice reopen-logs`", error: error.message)
        File.open(File::NULL, "w")
      end
    end
  end
end
