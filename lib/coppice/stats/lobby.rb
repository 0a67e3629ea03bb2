# frozen_string_literal: true

require "coppice/board"

module Coppice
  class Stats
    # What the lobbies of a server have counted, and what the present one has in hand.
    class Lobby
      # Columns of requests that the lobby has answered itself: their status and cause.
      REFUSALS = Board::LOBBY_COLUMNS.map(&:name).to_h do |name|
        prefix, rest = name.to_s.split("_", 2)
        found = { "refused" => [rest, "request"], "shed" => ["503", rest], "lost" => [rest, "worker_lost"],
                  "expired" => [rest, "timeout"] }[prefix]
        [name, found]
      end.compact.freeze

      # Statuses of 5xx for what no server is to blame for: bots ask for methods, codings and versions that there are
      # not. On a small site these are most of the answers.
      OF_CLIENTS = %w[501 505].freeze

      # Whether an answer of this status, or of a class such as "5xx", is an error of the server.
      #: (String) -> bool
      def self.error?(status) = status.start_with?("5") && !OF_CLIENTS.include?(status)

      ERRORS = REFUSALS.select { |_, (status, _)| error?(status) }.keys.freeze

      PLAIN = %i[connections idle waiting held_back accepted requests handshakes answered retried client_gone
                 slow_readers evicted spoilt takeovers buffered_bytes file_bytes log_lines_dropped].freeze

      # nil for a server without a lobby, unless its workers have dropped lines of their access log.
      #: (Board, Processes) -> Lobby?
      def self.of(board, processes)
        record, process = board.lobby, processes.lobby
        return unless process || record.accepted.positive? || record.log_lines_dropped.positive?

        new(record, beat_age: process&.beat_age)
      end

      #: (Board::Record, ?beat_age: Float?) -> void
      def initialize(record, beat_age: nil)
        @values = record.to_h
        @beat_age = beat_age
      end

      # Number of requests that no worker has taken yet.
      #: () -> Integer
      def waiting = @values[:waiting]

      # Number of requests that the lobby has answered itself. They are no responses of a worker.
      #: () -> Integer
      def refusals = @values.values_at(*REFUSALS.keys).sum

      # Number of those that are errors of the server.
      #: () -> Integer
      def errors = @values.values_at(*ERRORS).sum

      #: () -> Hash[Symbol, untyped]
      def to_h
        { **@values.slice(*PLAIN), held_route: held_route, full: @values[:full] == 1, paused: @values[:paused] == 1,
          beat_age: @beat_age, bytes_received: @values[:bytes_in], bytes_sent: @values[:bytes_out], refused: refused }
      end

      private

      def held_route = (@values[:held_route].scrub unless @values[:held_route].empty?)

      def refused
        REFUSALS.map { |name, (status, cause)| { status: status, cause: cause, count: @values[name] } }
      end
    end
  end
end
