# frozen_string_literal: true

require "coppice/board"
require "coppice/control/lobby_packet"

module Coppice
  class Monitor
    # The settings of a server as the lobby reads them: the fields of its first packet.
    class LobbySettings
      MAX_WAITING = 1024 # requests, unless the configuration says otherwise
      RESERVED_DESCRIPTORS = 128 # for what is neither a connection nor a worker's
      DESCRIPTORS_OF_WORKER = 4
      LEAST_CONNECTIONS = 16

      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      # What the lobby needs when all its connections are in use.
      #: (Integer) -> Integer
      def descriptors(workers) = @settings.max_connections + reserved(workers)

      # How many connections fit, given the limit of descriptors and the number of workers.
      #: (Integer, Integer) -> Integer
      def connections(limit, workers)
        fitting = [limit - reserved(workers), LEAST_CONNECTIONS].max
        [@settings.max_connections, fitting].min
      end

      # listeners: with the lobby. max_connections: see `connections`. seen: where on the board the loop notes that it
      # runs (bytes).
      #: (Array[Listeners::Listener], max_connections: Integer, seen: Integer) -> Control::LobbyPacket
      def packet(listeners, max_connections:, seen:)
        format, = @settings.access_log
        log = format ? { access_log: format } : {}
        Control::LobbyPacket.of("start", 1, board_cells: board_cells, seen: seen, slots: slots,
          max_connections: max_connections, **times, **limits, **buffers, **log, trusted: @settings.trusted_networks,
          listeners: listeners.sum { |listener| listener.descriptors.size }, listener: lines(listeners))
      end

      private

      def reserved(workers) = RESERVED_DESCRIPTORS + (2 * DESCRIPTORS_OF_WORKER * workers)

      def board_cells
        "#{Board::LAYOUT.at(:lobby) * Board::CELL_BYTES} #{Board::LOBBY_COLUMNS.sum(&:cells)}"
      end

      # One for each request that waits, and one for each that a worker has.
      def slots = max_waiting + Config::Types::WorkerCount::MAXIMUM

      def max_waiting = @settings.max_waiting || MAX_WAITING

      def times
        { keepalive_timeout_ms: ms(@settings.keepalive_timeout),
          trusted_keepalive_timeout_ms: ms(@settings.trusted_keepalive_timeout),
          header_timeout_ms: ms(@settings.client_header_timeout), body_timeout_ms: ms(@settings.client_body_timeout),
          write_timeout_ms: ms(@settings.client_write_timeout), queue_timeout_ms: ms(@settings.queue_timeout || 0),
          timeout_ms: ms(@settings.timeout), cleanup_ms: ms(@settings.timeout_cleanup) }
      end

      def limits
        { min_rate: @settings.client_min_rate || 0, max_request_line_bytes: @settings.max_request_line_bytes,
          max_header_bytes: @settings.max_header_bytes, max_header_count: @settings.max_header_count,
          max_body_bytes: @settings.max_body_bytes || -1, max_waiting: max_waiting,
          max_connections_per_client: @settings.max_connections_per_client || 0,
          retry: flag(@settings.retry_lost_requests), fair: flag(@settings.accept_order == :fair) }
      end

      def buffers
        { buffering: flag(@settings.buffers_requests?), response_buffer: @settings.response_buffer,
          buffer_directory: @settings.buffer_directory || ENV["TMPDIR"] || "/tmp",
          buffer_disk_limit: @settings.buffer_disk_limit }
      end

      # One for each socket.
      def lines(listeners)
        sockets = listeners.flat_map { |listener| [listener] * listener.descriptors.size }
        sockets.each_with_index.map do |listener, index|
          proxy, https = flag(listener.address.options[:proxy_protocol]), flag(listener.address.https?)
          "#{index} proxy_protocol #{proxy} https #{https} borrowed #{flag(listener.borrowed?)}"
        end
      end

      def ms(seconds) = (seconds * 1000).ceil

      def flag(value) = value ? 1 : 0
    end
  end
end
