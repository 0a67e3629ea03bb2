# frozen_string_literal: true

require "coppice/monitor/molds/canary"

# A canary with simulated requests. They end at the trial and at the workers beside it in random order, and each fails
# with the rate of its release. The judge looks after every few requests.
class CanaryPlay
  Canary = Coppice::Monitor::Canary
  Counts = Canary::Counts

  # So many requests, all as fast as each other, of which some failed.
  def self.counts(requests, failed = 0, **others)
    Counts.new(failed: failed, durations: [requests, *[0] * (Counts::BUCKETS - 1)], **others)
  end

  # What so many requests count whose application time [ms] the block makes.
  def self.timed(requests)
    durations = [0] * Counts::BUCKETS
    requests.times { durations[Coppice::Histogram.bucket((yield * 1000).to_i)] += 1 }
    Counts.new(durations: durations)
  end

  # trial, old: failure rates; workers: beside the trial; outage: the trial's requests during which all fail;
  # look_every: requests.
  def initialize(trial:, old:, random:, workers: 2, requests: 200, baseline: Counts::NONE, outage: nil, look_every: 30)
    @random = random
    @rates = { trial: trial, beside: old }
    @workers = workers
    @outage = outage
    @look_every = look_every
    @served = { trial: 0, beside: 0 }
    @failed = { trial: 0, beside: 0 }
    @canary = Canary.new(requests: requests, seconds: 60, started_at: 0.0, baseline: baseline)
  end

  # Ten requests of the trial take a second.
  def verdict
    loop do
      @look_every.times { serve }
      found = @canary.verdict(@served[:trial] / 10.0, counts(:trial), counts(:beside))
      return found if found
    end
  end

  private

  def serve
    whose = @random.rand(@workers + 1).zero? ? :trial : :beside
    fails = @outage&.cover?(@served[:trial]) || @random.rand < @rates[whose]
    @served[whose] += 1
    @failed[whose] += 1 if fails
  end

  def counts(whose) = CanaryPlay.counts(@served[whose], @failed[whose])
end
