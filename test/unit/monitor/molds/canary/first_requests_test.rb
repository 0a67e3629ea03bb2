# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/canary"
require_relative "../../../../support/canary_play"

class FirstRequestsTest < Coppice::TestCase
  FirstRequests = Coppice::Monitor::Canary::FirstRequests
  RankComparison = Coppice::Monitor::Canary::RankComparison

  # Lists of routes: their shares, medians in ms, and the standard deviation of the logarithm.
  APPLICATIONS = {
    narrow: [[1, 30, 1.0]], wide: [[1, 30, 2.0]], pages: [[0.5, 2, 0.5], [0.3, 30, 1.0], [0.2, 300, 1.0]],
    two_humps: [[0.5, 1, 0.3], [0.5, 200, 0.3]]
  }.freeze
  HEALTH_CHECKS = [[0.4, 0.2, 0.3], [0.4, 40, 1.0], [0.2, 400, 1.2]].freeze
  OTHER_HOUR = [[0.6, 0.2, 0.3], [0.3, 40, 1.0], [0.1, 400, 1.2]].freeze
  PLAYS = 200

  def setup = @random = Random.new(4)

  def normal = Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)

  # A cold release: its first requests take longer.
  def served(routes, requests = 200, factor: 1, cold: false)
    number = 0
    CanaryPlay.timed(requests) do
      part = @random.rand
      _, median, sigma = routes.find { |share, *| (part -= share).negative? } || routes.last
      cold_factor = cold ? 1 + (9 * Math.exp(-(number += 1) / 20.0)) : 1
      median * factor * cold_factor * Math.exp(sigma * normal)
    end
  end

  # The part of canaries in which the trial is slower. shared: what slows the workers beside it as well.
  def slower(routes, factor, first: routes, shared: 1, cold: true)
    slower = PLAYS.times.count do
      first_requests = FirstRequests.new(served(first, cold: cold))
      trial = served(routes, factor: factor * shared, cold: cold)
      first_requests.slower?(trial, served(routes, 400, factor: shared))
    end
    slower / PLAYS.to_f
  end

  test "an equal release is not slower, however long the longest requests take" do
    [*APPLICATIONS.values, HEALTH_CHECKS].each { |routes| assert_operator slower(routes, 1), :<=, 0.005 }
  end

  test "a release that takes three times as long is slower" do
    APPLICATIONS.each_value { |routes| assert_operator slower(routes, 3), :>=, 0.9 }
  end

  test "half as long again is not clear" do
    APPLICATIONS.each_value { |routes| assert_operator slower(routes, 1.5), :<=, 0.1 }
  end

  test "clients that ask for other pages than at the old release's start do not convict it" do
    assert_operator slower(HEALTH_CHECKS, 1, first: OTHER_HOUR, cold: false), :<=, 0.01
  end

  test "a database that has become slow does not convict it" do
    assert_operator slower(APPLICATIONS[:pages], 1, shared: 3), :<=, 0.02
  end

  test "a few requests, or more first requests than the trial's, are not compared" do
    routes = APPLICATIONS[:narrow]
    slow = served(routes, factor: 20)

    assert FirstRequests.new(served(routes)).slower?(slow, served(routes))
    refute FirstRequests.new(served(routes, 49)).slower?(slow, served(routes))
    refute FirstRequests.new(served(routes)).slower?(slow, served(routes, 49))
    refute FirstRequests.new(served(routes, 301)).slower?(slow, served(routes))
    refute FirstRequests.new(served(routes, 50)).slower?(served(routes, 49, factor: 20), served(routes))
  end

  test "durations below a millisecond are all the same" do
    fast = CanaryPlay.timed(200) { 0.1 }
    slower = CanaryPlay.timed(200) { 1.0 }

    assert_equal [0.5, 0.0], RankComparison.new(slower.durations, fast.durations).then { |comparison|
      [comparison.share_slower, comparison.significance]
    }
    refute FirstRequests.new(fast).slower?(slower, fast)
  end

  test "ranks are counted as by hand" do
    buckets = ->(*times) { CanaryPlay.timed(times.size) { times.shift }.durations }
    comparison = RankComparison.new(buckets.call(10, 20, 40), buckets.call(10, 15, 30, 100))

    # 10 is equal to 10; 20 is longer than 10 and 15; 40 is longer than 10, 15 and 30.
    assert_in_delta (0.5 + 2 + 3) / 12, comparison.share_slower
    # 5 is shorter than all, 10 equal to 10, 20 longer than 10 and 15.
    assert_in_delta 2.5 / 12, comparison.share_slower(RankComparison::STEPS_IN_AN_OCTAVE)
    # Of 7 durations two are equal.
    assert_in_delta (5.5 - 6) / Math.sqrt(12 / 12.0 * (8 - (6 / 42.0))), comparison.significance
    refute_predicate RankComparison.new([0] * 90, [1] * 90), :clearly_slower?
  end
end
