# frozen_string_literal: true

require "coppice/board"
require "coppice/stats/histogram"

module Coppice
  class Stats
    # What the server's processes have counted since it was started, the exited ones included: of each slot, and of all.
    class Totals
      CLASSES = %w[1xx 2xx 3xx 4xx 5xx].freeze
      HISTOGRAMS = { application_seconds: :application_us, queue_seconds: :queue_us,
                     first_request_seconds: :first_request_us }.freeze
      OFFSETS = Board::Layout.offsets(Board::COUNT_COLUMNS).to_h { |column, at| [column.name, [at, column]] }.freeze

      # Reads the board: call it within Board#consistent.
      #: (Board, Processes) -> void
      def initialize(board, processes)
        @board = board
        @processes = processes
        @slots = (0...board.slots_count).map { |nr| counts_of(board.slot(nr), processes.of_slot(nr)) }
        others = counts_of(board.slot, processes.beyond_slots(board.slots_count))
        @all = @slots.reduce(others) { |sum, counts| sum.zip(counts).map(&:sum) }
      end

      #: () -> Hash[Symbol, untyped]
      def to_h
        slots = @slots.each_with_index.map { |counts, nr| { slot: nr, **plain(counts) } }
        { totals: plain(@all), histograms: histograms, slots: slots }
      end

      private

      # CPU time is newer in /proc than on the rows.
      def counts_of(slot, processes)
        places = [slot, *processes.map(&:row)].map { |record| record.place_of(Board::Row::FIRST_COUNT).first }
        counts = @board.cells.sum(places, Board::Row::COUNTS)
        counts[OFFSETS.fetch(:cpu_us).first] = slot.cpu_us + processes.sum(&:cpu_us)
        counts
      end

      def plain(counts)
        { requests: cells(counts, :application_us).drop(1).sum, responses: CLASSES.zip(cells(counts, :responses)).to_h,
          refused: number(counts, :refused), dropped_headers: number(counts, :dropped_headers),
          timeouts: number(counts, :timeouts), hijacked: number(counts, :hijacked),
          bytes_received: number(counts, :bytes_received), bytes_sent: number(counts, :bytes_sent),
          busy_seconds: cells(counts, :application_us).first / 1e6, gc_seconds: number(counts, :gc_us) / 1e6,
          gc_runs: number(counts, :gc_runs), cpu_seconds: number(counts, :cpu_us) / 1e6 }
      end

      def histograms = HISTOGRAMS.transform_values { |column| Histogram.new(cells(@all, column)).to_h }

      def number(counts, name) = counts[OFFSETS.fetch(name).first]

      def cells(counts, name)
        at, column = OFFSETS.fetch(name)
        counts[at, column.cells]
      end
    end
  end
end
