# frozen_string_literal: true

require "coppice/board"
require "coppice/stats/lobby"

module Coppice
  class Monitor
    class Records
      # Notes the sums over all processes every two seconds, in the ring of the last hour.
      class Moments
        attr_reader :due_at #: Float -- of the next one, monotonic seconds

        COUNTS = Board::MOMENT_COUNTS.sum(&:cells)
        APPLICATION_AT = Board::Layout.offset(Board::MOMENT_COUNTS, :application_us) # the sum of the durations

        #: (system: System, board: Board, roster: Roster, port: ServingPort) -> void
        def initialize(system:, board:, roster:, port:)
          @system = system
          @board = board
          @roster = roster
          @port = port
          @due_at = -Float::INFINITY
          @busy_us = 0
        end

        # They keep their distance, unless the monitor was held up meanwhile.
        #: (Float) -> void
        def note(now)
          planned = @due_at + Board::MOMENT_SECONDS
          @due_at = planned > now ? planned : now + Board::MOMENT_SECONDS
          sequence = @board.moments_count + 1
          moment = @board.moment_record(sequence)
          sums = @board.total_counts(COUNTS) # before the gauges: a request that ends in between must not count twice
          moment.fill(sequence, gauges((now * 1000).to_i, sums[APPLICATION_AT])) do
            @board.cells.write(moment.place_of(Board::Row::FIRST_COUNT).first, sums)
          end
          @board.moments_count = sequence
        end

        private

        def gauges(now_ms, application_us)
          starts = starts_of_requests(now_ms)
          { time_ms: @system.unix_ms, generation: @roster.generation, workers_wanted: @roster.target,
            workers_ready: @roster.serving_workers.size,
            workers_busy: starts.size, requests_waiting: requests_waiting,
            in_flight_us: in_flight_us(starts, now_ms, application_us), **refusals, **memory }
        end

        # No duration of out-of-band work is ever counted.
        def starts_of_requests(now_ms)
          busy = @roster.children.busy_workers(@board, now_ms)
          busy.map { |worker| worker.row.started_ms }.select(&:positive?)
        end

        # In the kernel's queues and in the lobby's.
        def requests_waiting
          waiting = @port.requests_waiting
          waiting ? waiting + @board.lobby.waiting : -1
        end

        def refusals
          lobby = Stats::Lobby.new(@board.lobby)
          { lobby_refused: lobby.refusals, lobby_errors: lobby.errors }
        end

        # With those that have ended it never goes back.
        def in_flight_us(starts, now_ms, application_us)
          age_us = starts.sum { |start_ms| [now_ms - start_ms, 0].max * 1000 }
          @busy_us = [@busy_us, application_us + age_us].max
          @busy_us - application_us
        end

        def memory
          %i[rss_kib pss_kib private_kib].to_h { |column| [column, @board.cells.sum(@board.places(column), 1).first] }
        end
      end
    end
  end
end
