# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/canary"
require_relative "../../../../support/canary_play"

class AllowedFailuresTest < Coppice::TestCase
  Canary = Coppice::Monitor::Canary
  Binomial = Canary::Binomial
  NONE = Canary::Counts::NONE
  PAGE = File.expand_path("../../../../../docs/decisions/0012-canary.md", __dir__)

  def counts(...) = CanaryPlay.counts(...)
  def allowed(baseline, beside, requests = 200) = Canary::AllowedFailures.new(baseline, beside).among(requests)

  # The probability that a release with this failure rate is rejected after 200 requests: exact, over all that the old
  # release may show beside the trial and before.
  def rejected(rate, old:, beside:, before: 0)
    likely(before, old).sum do |before_failed, probability|
      likely(beside, old).sum do |failed, of_failed|
        limit = allowed(counts(before, before_failed), counts(beside, failed))
        probability * of_failed * (1 - Binomial.at_most(limit, 200, rate))
      end
    end
  end

  def likely(requests, rate)
    Binomial.each_probability(requests, rate).each_with_index.filter_map do |probability, failed|
      [failed, probability] if probability > 1e-6
    end
  end

  # The rows of the page's table below the header that begins so, as numbers.
  def table(header)
    rows = File.read(PAGE, encoding: "UTF-8").partition(/^\| #{header}.*\n.*\n/).last.lines
    rows.take_while { |line| line.start_with?("|") }.map { |line| line.scan(/[\d.,]+/).map { |text| number(text) } }
  end

  def number(text) = text.delete(",").to_f
  def percent(probability) = (probability * 100).round(2)

  test "a baseline of up to 0.5 %: 5 % is caught in 95 of 100 canaries, an equal release passes in 99" do
    [[0, 0], [30, 0], [100, 0], [200, 0], [1600, 0], [200, 200], [400, 1000]].each do |beside, before|
      assert_operator rejected(0.05, old: 0.005, beside: beside, before: before), :>=, 0.95
      assert_operator rejected(0.005, old: 0.005, beside: beside, before: before), :<=, 0.005
    end
  end

  test "the page's table of one release alone is right" do
    rates = [0.005, 0.01, 0.02, 0.05, 0.2]
    rows = [20, 50, 200, 1000].map do |requests|
      limit = allowed(NONE, NONE, requests)
      [requests, limit, *rates.map { |rate| percent(1 - Binomial.at_most(limit, requests, rate)) }]
    end

    assert_equal rows, table("requests")
  end

  test "the page's table of old releases is right" do
    rows = [[0.005, 0], [0.005, 10_000], [0.01, 0], [0.01, 10_000], [0.02, 0], [0.02, 10_000]].map do |old, before|
      chances = [old, old + 0.045, old + 0.095].map { |rate| rejected(rate, old: old, beside: 400, before: before) }
      [old * 100, before, *chances.map { |chance| (chance * 100).round(1) }]
    end

    assert_equal rows, table("old release")
  end

  test "few requests of the old release say little" do
    assert_equal 4, allowed(counts(30, 0), NONE)
    assert_equal 5, allowed(counts(30, 1), NONE)
    assert_operator allowed(NONE, counts(1, 1)), :<=, 6
    assert_operator allowed(counts(10, 2), NONE), :<=, 6
  end

  test "one failure alone is always allowed" do
    assert_equal [1] * 20, (1..20).map { |requests| allowed(NONE, NONE, requests) }
  end

  test "what the old release usually does is allowed, up to a tenth" do
    assert_equal [4, 10, 18], [0, 200, 500].map { |failed| allowed(counts(10_000, failed), NONE) }
    assert_equal allowed(counts(10_000, 1500), NONE), allowed(counts(10_000, 10_000), NONE)
    assert_operator allowed(counts(10_000, 10_000), NONE), :<, 40
  end

  test "the workers beside the trial excuse what they do as well" do
    assert_equal 4, allowed(counts(10_000, 10), counts(400, 2))
    assert_operator allowed(counts(10_000, 10), counts(400, 20)), :>=, 10
  end

  test "an outage of the last hour allows nothing once it is over" do
    assert_operator allowed(counts(10_000, 2000), NONE), :>, 20
    assert_equal 4, allowed(counts(10_000, 2000), counts(600, 1))
  end

  test "the binomial distribution is exact, also with many requests" do
    choices = (0..200).map { |failed| (201 - failed..200).reduce(1, :*) / (1..failed).reduce(1, :*) }
    exact = choices.map.with_index { |number, failed| number * (99r**(200 - failed)) / (100r**200) }
    sums = [0, 2, 7].map { |most| exact.first(most + 1).sum.to_f }

    sums.zip([0, 2, 7]) { |sum, most| assert_in_delta sum, Binomial.at_most(most, 200, 0.01), 1e-12 }
    assert_in_delta 1.0, Binomial.at_most(50_000, 50_000, 0.3), 1e-9
    assert_in_delta 0.5, Binomial.at_most(100_000, 1_000_000, 0.1), 0.001
    assert_equal [1.0, 1.0, 0.0, 1.0], [Binomial.at_most(0, 5, 0.0), Binomial.at_most(1, 5, 0.0),
                                        Binomial.at_most(4, 5, 1.0), Binomial.at_most(5, 5, 1.0)]
    assert_equal [0, 5, 0], [[0, 0.5], [5, 1.0], [5, 0.0]].map { |requests, rate|
      Binomial.limit(requests, rate, 0.005)
    }
  end
end
