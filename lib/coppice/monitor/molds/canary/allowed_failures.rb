# frozen_string_literal: true

require "coppice/monitor/molds/canary/binomial"
require "coppice/monitor/molds/canary/counts"

module Coppice
  class Monitor
    class Canary
      # How many of the trial's requests may fail, from what the old release has shown. The larger of two limits holds:
      #
      # - the usual one: a release that fails as often as the old one usually does exceeds it once in 200 canaries;
      # - the excuse: if the workers beside the trial fail more than usual at the same time, a cause that both share is
      #   likely, such as their database. Then the trial may fail about as often as they do.
      #
      # docs/decisions/0012-canary.md has the reasons for the constants, and tables of error probabilities.
      class AllowedFailures
        TOLERATED = 0.005 # a failure rate that never counts against a release
        MOST = 0.1 # a release that fails more often was not seen to work, whatever the old one does
        USUAL_EXCEEDED = 0.005 # the probability that an equal release exceeds the usual limit
        EXCUSE_EXCEEDED = 0.05 # the same for the excuse
        CONTRADICTION = 0.001 # a history that makes the present as unlikely as that is not the usual

        # An observed rate counts as if so many requests more had failed at the tolerated rate: 1 failure among 10
        # requests says little. The excuse has to follow an outage quickly.
        USUAL_PRIOR = 500
        EXCUSE_PRIOR = 100

        # baseline: of the old release before the canary; beside: of its workers since the canary began.
        #: (Counts, Counts) -> void
        def initialize(baseline, beside)
          @beside = beside
          @usual = contradicted?(baseline) ? beside : baseline + beside
        end

        # One failure alone is always allowed.
        #: (Integer) -> Integer
        def among(requests)
          [1,
           Binomial.limit(requests, estimate(@usual, USUAL_PRIOR).clamp(TOLERATED, MOST), USUAL_EXCEEDED),
           Binomial.limit(requests, estimate(@beside, EXCUSE_PRIOR).clamp(0.0, MOST), EXCUSE_EXCEEDED)].max
        end

        # Whether the workers beside the trial may fail as often as so many failures among so many requests.
        #: (Integer, Integer) -> bool
        def beside_as_well?(failed, requests)
          failed <= Binomial.limit(requests, @beside.failure_rate, USUAL_EXCEEDED)
        end

        private

        # Whether the old release fails less now than it did: an outage of the last hour would allow everything.
        def contradicted?(baseline)
          rate = estimate(baseline, USUAL_PRIOR)
          @beside.failure_rate < rate &&
            Binomial.at_most(@beside.failed, @beside.requests, rate) < CONTRADICTION
        end

        def estimate(counts, prior) = (counts.failed + (TOLERATED * prior)) / (counts.requests + prior)
      end
    end
  end
end
