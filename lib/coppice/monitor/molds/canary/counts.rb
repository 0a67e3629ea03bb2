# frozen_string_literal: true

require "coppice/board"

module Coppice
  class Monitor
    class Canary
      # What processes have counted until a moment, or between two moments.
      class Counts
        BUCKETS = Histogram::CELLS - 1

        # What a record with the columns of Board::COUNT_COLUMNS holds: a row, or a record of the last hour.
        #: (Board::Record) -> Counts
        def self.of(record)
          # First the failures: a request that ends in between is counted, and its failure is not.
          failed = record.responses[Board::SERVER_ERRORS]
          new(failed: failed, timeouts: record.timeouts, durations: record.application_us.drop(1))
        end

        # Requests answered with a status of 5xx. The worker counts it when the response begins, so a request in flight
        # may be in it.
        attr_reader :failed    #: Integer
        attr_reader :timeouts  #: Integer -- requests past their deadline
        attr_reader :durations #: Array[Integer] -- application times: the number in each bucket of Coppice::Histogram

        #: (?failed: Integer, ?timeouts: Integer, ?durations: Array[Integer]) -> void
        def initialize(failed: 0, timeouts: 0, durations: [0] * BUCKETS)
          @failed = failed
          @timeouts = timeouts
          @durations = durations.dup.freeze
          freeze
        end

        # Requests that the application got and that have ended.
        #: () -> Integer
        def requests = durations.sum

        # 0.0 without requests.
        #: () -> Float
        def failure_rate = requests.zero? ? 0.0 : (failed / requests.to_f).clamp(0.0, 1.0)

        #: (Counts) -> bool
        def ==(other) = [failed, timeouts, durations] == [other.failed, other.timeouts, other.durations]

        #: (Counts) -> Counts
        def +(other) = merge(other) { |mine, others| mine + others }

        # What was counted since an earlier moment, or by others. It is never negative: records that are read one after
        # the other may not fit each other.
        #: (Counts) -> Counts
        def -(other) = merge(other) { |mine, others| [mine - others, 0].max }

        NONE = new

        private

        def merge(other)
          Counts.new(failed: yield(failed, other.failed), timeouts: yield(timeouts, other.timeouts),
                     durations: durations.zip(other.durations).map { |mine, others| yield(mine, others) })
        end
      end
    end
  end
end
