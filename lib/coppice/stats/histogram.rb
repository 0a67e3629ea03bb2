# frozen_string_literal: true

require "coppice/coppice_ext"

module Coppice
  class Stats
    # Durations of one kind, as the cells of a histogram on the board hold them, or as somebody else has counted them.
    class Histogram
      # Upper bounds of the buckets in seconds; the last bucket has none.
      BOUNDS = Coppice::Histogram::BOUNDS.map { |microseconds| microseconds / 1e6 }.freeze
      PERCENTILES = { p50: 0.5, p90: 0.9, p99: 0.99, p999: 0.999 }.freeze

      attr_reader :counts #: Array[Integer] -- of each bucket
      attr_reader :sum    #: Float -- of all durations, in seconds

      # bounds: as BOUNDS.
      #: (Array[Integer], ?bounds: Array[Float]) -> void
      def initialize(cells, bounds: BOUNDS)
        @bounds = bounds
        @sum = cells.first / 1e6
        @counts = cells.drop(1)
      end

      #: () -> Integer
      def count = @count ||= counts.sum

      # The duration in seconds that this part of all durations (0.0 to 1.0) does not exceed, interpolated within its
      # bucket; nil without any, and for a difference of counts that have not grown.
      #: (Float) -> Float?
      def percentile(part)
        return unless count.positive?

        rank = part * count
        counts.each_with_index do |number, bucket|
          return within(bucket, rank / number) if number.positive? && rank <= number

          rank -= number
        end
        @bounds.last
      end

      #: () -> Hash[Symbol, untyped]
      def to_h
        { le: @bounds, counts: counts, sum: sum, count: count,
          **PERCENTILES.transform_values { |part| percentile(part) } }
      end

      private

      def within(bucket, share)
        low = bucket.zero? ? 0.0 : @bounds[bucket - 1]
        low + (((@bounds[bucket] || low) - low) * share)
      end
    end
  end
end
