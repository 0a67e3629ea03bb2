# frozen_string_literal: true

require "coppice/board"
require "coppice/control/lobby_packet"

module Coppice
  class Monitor
    # The settings of a server as the lobby reads them: the fields of its first packet, which have the names of options.
    class LobbySettings
      SECONDS = %i[keepalive_timeout trusted_keepalive_timeout client_header_timeout client_body_timeout
                   client_write_timeout queue_timeout].freeze
      # Numbers, and what is true or false. Of most, nil is 0, and means none.
      PLAIN = %i[client_min_rate max_request_line_bytes max_header_bytes max_header_count max_connections_per_client
                 max_waiting response_buffer buffer_disk_limit retry_lost_requests].freeze
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
          max_connections: max_connections, **times, **plain, **others, **log,
          listeners: listeners.sum { |listener| listener.descriptors.size }, listener: lines(listeners))
      end

      private

      def reserved(workers) = RESERVED_DESCRIPTORS + (2 * DESCRIPTORS_OF_WORKER * workers)

      def board_cells
        "#{Board::LAYOUT.at(:lobby) * Board::CELL_BYTES} #{Board::LOBBY_COLUMNS.sum(&:cells)}"
      end

      # One for each request that waits, and one for each that a worker has.
      def slots = @settings.max_waiting + Config::Types::WorkerCount::MAXIMUM

      def times = SECONDS.to_h { |option| [:"#{option}_ms", ((@settings.public_send(option) || 0) * 1000).ceil] }

      def plain = PLAIN.to_h { |option| [option, plain_value(@settings.public_send(option))] }

      def plain_value(value) = value.is_a?(Numeric) ? value : flag(value)

      def others
        { max_body_bytes: @settings.max_body_bytes || -1, request_buffering: flag(@settings.buffers_requests?),
          trusted_proxies: @settings.trusted_networks, accept_order_fair: flag(@settings.accept_order == :fair),
          buffer_directory: @settings.buffer_directory || ENV["TMPDIR"] || "/tmp" }
      end

      # One for each socket.
      def lines(listeners)
        sockets = listeners.flat_map { |listener| [listener] * listener.descriptors.size }
        sockets.each_with_index.map do |listener, index|
          proxy, https = flag(listener.address.options[:proxy_protocol]), flag(listener.address.https?)
          "#{index} proxy_protocol #{proxy} https #{https} borrowed #{flag(listener.borrowed?)}"
        end
      end

      def flag(value) = value ? 1 : 0
    end
  end
end
