# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/canary"
require_relative "../../../support/canary_play"
require_relative "../../../support/compiled_plays"

class CanaryTest < Coppice::TestCase
  Canary = Coppice::Monitor::Canary
  NONE = Canary::Counts::NONE
  PLAYS = 500

  def canary(requests: 200, seconds: 60, **others)
    Canary.new(requests: requests, seconds: seconds, started_at: 100.0, **others)
  end

  def counts(...) = CanaryPlay.counts(...)

  # The parts of so many canaries that end with each cause.
  def played(plays: PLAYS, **options)
    random = Random.new(1)
    causes = Array.new(plays) { CanaryPlay.new(random: random, **options).verdict.cause }
    causes.tally.transform_values { |number| number / plays.to_f }.tap { |shares| shares.default = 0.0 }
  end

  test "it waits for enough requests, and passes" do
    assert_nil canary.verdict(159.9, counts(199, 4), counts(600))
    verdict = canary.verdict(130.0, counts(203, 4), counts(600, 2))

    assert_equal [:pass, :passed, true], [verdict.outcome, verdict.cause, verdict.commit?]
    assert_equal "4 of 203 requests failed, and 4 may", verdict.reason
  end

  test "the log gets its numbers" do
    verdict = canary(baseline: counts(9000, 9)).verdict(130.0, counts(200, 1), counts(600, 2))

    assert_equal({ canary: :passed, requests: 200, failed: 1, limit: 4, old_requests: 600, old_failed: 2,
                   before_requests: 9000, before_failed: 9 }, verdict.to_log)
  end

  test "with fewer requests in the time it is undecided, which commits" do
    assert_nil canary.verdict(159.9, counts(12), counts(30))
    verdict = canary.verdict(160.0, counts(12, 1), counts(30))

    assert_equal [:undecided, :few_requests, true], [verdict.outcome, verdict.cause, verdict.commit?]
    assert_equal "only 12 of 200 requests in 60 s", verdict.reason
    assert_equal :undecided, canary.verdict(160.0, NONE, NONE).outcome
  end

  test "a release of which no request succeeded is rejected in the end" do
    assert_nil canary.verdict(159.9, counts(1, 1), counts(30))
    verdict = canary.verdict(160.0, counts(1, 1), counts(30))

    assert_equal [:reject, :failures, "no request succeeded"], [verdict.outcome, verdict.cause, verdict.reason]
  end

  test "failures that can no longer pass reject at once" do
    verdict = canary.verdict(101.0, counts(5, 5), counts(15))

    assert_equal [:reject, :failures, false], [verdict.outcome, verdict.cause, verdict.commit?]
    assert_equal "5 of 5 requests failed, and 4 may", verdict.reason
    assert_nil canary.verdict(101.0, counts(5, 4), counts(15))
  end

  test "at the end of the time the limit is that of the requests that came" do
    assert_equal :failures, canary.verdict(160.0, counts(3, 2), counts(9)).cause
    assert_equal :few_requests, canary.verdict(160.0, counts(3, 1), counts(9)).cause
  end

  test "failures of requests in flight count before their requests do" do
    assert_equal :failures, canary.verdict(160.0, counts(0, 2), NONE).cause
  end

  test "a timeout of the trial rejects at once" do
    late = canary.verdict(101.0, counts(3, timeouts: 1), counts(9, timeouts: 4))

    assert_equal [:reject, :timeout], [late.outcome, late.cause]
  end

  test "a look after each request rejects those that one look at the end rejects" do
    random = Random.new(2)
    found = Array.new(100) do
      failures = Array.new(200) { random.rand < 0.02 }
      early = (1..200).map { |served| canary.verdict(101.0, counts(served, failures.first(served).count(true)), NONE) }
      [early.compact.first.outcome, canary.verdict(101.0, counts(200, failures.count(true)), NONE).outcome]
    end

    assert_equal [%i[pass pass], %i[reject reject]], found.uniq.sort
  end

  test "a release that fails 5 % of its requests is caught, and an equal one passes" do
    { 0.0 => 1, 0.002 => 3, 0.005 => 1 }.each do |rate, workers|
      assert_operator played(trial: 0.05, old: rate, workers: workers)[:failures], :>=, 0.95
      assert_operator played(trial: rate, old: rate, workers: workers)[:passed], :>=, 0.99
    end
  end

  test "the gate of a refork catches a release that fails 20 % of its requests, and lets an equal one pass" do
    gate = { requests: 20, look_every: 3 }

    assert_operator played(trial: 0.005, old: 0.005, **gate)[:passed], :>=, 0.99
    assert_operator played(trial: 0.2, old: 0.005, **gate)[:failures], :>=, 0.9
  end

  test "an equal release passes where the old one is known to fail more often" do
    baseline = counts(10_000, 200)

    assert_operator played(trial: 0.02, old: 0.02, baseline: baseline)[:passed], :>=, 0.99
    assert_operator played(trial: 0.1, old: 0.02, baseline: baseline)[:failures], :>=, 0.95
  end

  test "a release is not blamed for a short outage of what both use" do
    shares = played(trial: 0.0, old: 0.0, outage: 50..59, baseline: counts(10_000))

    assert_operator shares[:failures], :<=, 0.04
    assert_operator shares[:passed], :>=, 0.85
  end

  test "while everything fails everywhere it waits, and then rejects without blame" do
    assert_nil canary.verdict(150.0, counts(200, 200), counts(600, 600))
    verdict = canary.verdict(160.0, counts(250, 250), counts(700, 700))

    assert_equal %i[reject both_fail], [verdict.outcome, verdict.cause]
    assert_includes verdict.reason, "the old release fails as well, so this one was not seen to work"
    assert_equal 1.0, played(trial: 1.0, old: 1.0, plays: 20)[:both_fail]
  end

  test "a release that works passes while the old one fails" do
    assert_equal :passed, canary.verdict(110.0, counts(200, 1), counts(600, 600)).cause
  end

  test "a release that is slower than the first requests of the old one is rejected" do
    random = Random.new(3)
    time = -> { 5 + (50 * random.rand) }
    first = Canary::FirstRequests.new(CanaryPlay.timed(200, &time))
    beside = CanaryPlay.timed(600, &time)
    slow = CanaryPlay.timed(200) { time.call * 3 }
    verdict = canary(first_requests: first).verdict(110.0, slow, beside)

    assert_equal %i[reject slower], [verdict.outcome, verdict.cause]
    assert_operator verdict.to_log[:median_ms], :>, 2 * verdict.to_log[:old_first_median_ms]
    assert_includes verdict.reason, "the median request takes #{verdict.to_log[:median_ms]} ms"
    assert_equal :passed, canary(first_requests: nil).verdict(110.0, slow, beside).cause
    assert_equal :few_requests, canary(requests: 300, first_requests: first).verdict(160.0, slow, beside).cause
  end
end
