# frozen_string_literal: true

require "coppice/board"
require "coppice/stats/histogram"
require "coppice/stats/records"
require "coppice/stats/totals"

module Coppice
  class Stats
    # The last hour on the board, and what follows from two of its records.
    class History
      include Records

      UTILIZATION_RECORDS = 8 # 16 seconds
      # Names of a record's values, and how each follows from a column of the board: by which method of Records.
      GAUGES = {
        time: [:time_ms, :seconds], generation: [:generation],
        workers: [:workers_wanted], workers_ready: [:workers_ready], workers_busy: [:workers_busy],
        requests_waiting: [:requests_waiting, :known], rss: [:rss_kib, :bytes], pss: [:pss_kib, :bytes],
        private: [:private_kib, :bytes], refused: [:refused], dropped_headers: [:dropped_headers],
        timeouts: [:timeouts], hijacked: [:hijacked], lobby_refused: [:lobby_refused],
        bytes_received: [:bytes_received], bytes_sent: [:bytes_sent], gc_seconds: [:gc_us, :micro],
        gc_runs: [:gc_runs], cpu_seconds: [:cpu_us, :micro]
      }.freeze
      NAMES = [
        *GAUGES.keys, *Totals::CLASSES.map { |name| :"responses_#{name}" }, :errors, :requests, :busy_seconds,
        :application_seconds, :queue_seconds
      ].freeze

      #: (Board) -> void
      def initialize(board)
        @board = board
      end

      #: (since: Integer) -> Hash[Symbol, untyped]
      def to_h(since:)
        last = @board.moments_count
        from = [since + 1, last - Board::MOMENTS_KEPT + 1, 1].max
        records = (from..last).filter_map { |sequence| moment(sequence) }
        { seq: last, interval: Board::MOMENT_SECONDS, names: NAMES, le: Histogram::BOUNDS,
          records: records.map { |values| row_of(values) } }
      end

      # See Stats#to_h; nil before there are two records.
      #: () -> Float?
      def utilization
        last = @board.moments_count
        newest = moment(last) if last > 1
        oldest = moment([last - UTILIZATION_RECORDS, 1].max) if newest
        return unless oldest

        elapsed = (newest[:time_ms] - oldest[:time_ms]) * 1000.0
        workers = [newest[:workers_wanted], 1].max
        elapsed.positive? ? ((busy_us(newest) - busy_us(oldest)) / elapsed / workers).clamp(0.0, 1.0) : nil
      end

      private

      def moment(sequence) = read(:moment_record, sequence)

      def row_of(values)
        gauges = GAUGES.map { |_, (column, convert)| convert ? send(convert, values[column]) : values[column] }
        application = values[:application_us].drop(1)
        errors = values[:responses].last + values[:lobby_errors]
        [*gauges, *values[:responses], errors, application.sum, busy_us(values) / 1e6, application,
         values[:queue_us].drop(1)]
      end

      def busy_us(values) = values[:application_us].first + values[:in_flight_us]
    end
  end
end
