# frozen_string_literal: true

require "coppice/monitor/molds/canary/counts"
require "coppice/monitor/molds/canary/rank_comparison"
require "coppice/stats/histogram"

module Coppice
  class Monitor
    class Canary
      # How long a release's first requests took, when it was the trial: kept while it serves, for the canary of the
      # next release. A release that has just booted is slower than one that has served for a while, so a trial is not
      # compared with the workers beside it alone.
      class FirstRequests
        FEWEST = 50 # requests: fewer are not compared
        MOST_TIMES = 1.5 # of later requests fewer are slow, so a trial is not compared with many more requests

        attr_reader :durations #: Array[Integer] -- numbers in the buckets of Coppice::Histogram

        # trial: all that the trial had counted when it was committed. warmed: whether it had served warm-up requests
        # before.
        #: (Counts, ?warmed: bool) -> void
        def initialize(trial, warmed: false)
          @durations = trial.durations
          @warmed = warmed
          freeze
        end

        # Whether the trial had served warm-up requests before.
        #: () -> bool
        def warmed? = @warmed

        # Seconds; nil without requests.
        #: () -> Float?
        def median = FirstRequests.median(@durations)

        # Whether a trial is clearly slower than these requests, and also than the workers beside it. They cannot
        # convict it, but when they have become slow as well, or serve slower routes, the cause is not the release.
        #: (Counts, Counts) -> bool
        def slower?(trial, beside)
          return false unless comparable?(trial) && beside.requests >= FEWEST

          [durations, beside.durations].all? { |others| RankComparison.new(trial.durations, others).clearly_slower? }
        end

        #: (Array[Integer]) -> Float?
        def self.median(durations) = Stats::Histogram.new([0, *durations]).percentile(0.5)

        private

        def comparable?(trial)
          durations.sum.between?(FEWEST, trial.requests * MOST_TIMES) && trial.requests >= FEWEST
        end
      end
    end
  end
end
