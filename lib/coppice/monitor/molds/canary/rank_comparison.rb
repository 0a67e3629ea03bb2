# frozen_string_literal: true

require "coppice/coppice_ext"

module Coppice
  class Monitor
    class Canary
      # Compares two samples of durations by their ranks (Mann and Whitney's test). A rank does not depend on how long
      # the longest requests take, so heavy tails and mixtures of fast and slow routes do no harm.
      class RankComparison
        STEPS_IN_AN_OCTAVE = 4 # buckets of Coppice::Histogram between a duration and its double
        # The bucket from 1.02 to 1.28 ms. Shorter durations count as equal to those: nobody notices their difference.
        SHORTEST = Histogram.bucket(1024)
        SIGNIFICANT = 2.58 # standard deviations: samples of one distribution exceed it once in 200 comparisons

        # Durations as numbers in the buckets of Coppice::Histogram.
        #: (Array[Integer], Array[Integer]) -> void
        def initialize(durations, others)
          @durations = durations
          @others = others
          @pairs = durations.sum * others.sum
        end

        # Whether the first sample is certainly slower, and still not the faster one with its durations halved.
        #: () -> bool
        def clearly_slower?
          return false if @pairs.zero?

          significance >= SIGNIFICANT && share_slower(STEPS_IN_AN_OCTAVE) >= 0.5
        end

        # By how many standard deviations the first sample is slower; 0.0 when all durations are equal.
        #: () -> Float
        def significance
          deviation = Math.sqrt(variance)
          deviation.zero? ? 0.0 : (share_slower - 0.5) * @pairs / deviation
        end

        # Of all pairs with one duration of each sample, the part in which the first one is longer; equal ones count
        # half. steps: buckets by which the first sample is made faster.
        #: (?Integer) -> Float
        def share_slower(steps = 0)
          longer = @durations.sum
          slower = merge(@durations, steps).zip(merge(@others, 0)).sum do |number, others|
            longer -= number
            others * (longer + (number / 2.0))
          end
          slower / @pairs
        end

        private

        # Of the number of pairs in which the first one is longer, for samples of one distribution with ties.
        def variance
          total = @durations.sum + @others.sum
          ties = merge(@durations, 0).zip(merge(@others, 0)).sum { |pair| (pair.sum**3) - pair.sum }
          @pairs / 12.0 * (total + 1 - (ties / (total * (total - 1.0))))
        end

        # The numbers from the bucket SHORTEST on, when each duration is so many buckets shorter.
        def merge(durations, steps)
          first = SHORTEST + steps
          [durations.take(first + 1).sum, *durations.drop(first + 1), *[0] * steps]
        end
      end
    end
  end
end
