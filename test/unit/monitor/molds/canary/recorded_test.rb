# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/canary"
require_relative "../../../../support/canary_play"

# Canaries of the example shop, recorded by test/support/record_canaries.rb.
class RecordedCanaryTest < Coppice::TestCase
  Canary = Coppice::Monitor::Canary

  # Of each request: status and time in ms.
  def recorded(name)
    lines = File.readlines(File.join(__dir__, "recorded/#{name}.txt"))
    lines.map { |line| line.split.then { |status, time| [status.to_i, time.to_f] } }
  end

  def counts(requests)
    times = requests.map(&:last)
    durations = CanaryPlay.timed(times.size) { times.shift }.durations
    Canary::Counts.new(failed: requests.count { |status, _| status >= 500 }, durations: durations)
  end

  # A look after each request of the trial. In the meantime the old release serves its part.
  def judge(name)
    trial, beside = recorded("#{name}.trial"), recorded("#{name}.beside")
    first = Canary::FirstRequests.new(counts(recorded("first").first(200)))
    canary = Canary.new(requests: 200, seconds: 60, started_at: 0.0, first_requests: first)
    (1..trial.size).lazy.filter_map do |served|
      canary.verdict(1.0, counts(trial.first(served)), counts(beside.first(served * beside.size / trial.size)))
    end.first
  end

  test "an equal release passes" do
    assert_equal :passed, judge("equal").cause
  end

  test "a release with one broken page is rejected before all requests were served" do
    verdict = judge("broken")

    assert_equal :failures, verdict.cause
    assert_operator verdict.to_log[:requests], :<, 150
  end

  test "a release that makes each page three times is rejected" do
    assert_equal :slower, judge("slow").cause
  end
end
