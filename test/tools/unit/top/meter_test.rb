# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/meter"
require_relative "../../../support/stats_fixture"

module Coppice
  module Top
    class MeterTest < TestCase
      test "one look has no rates" do
        reading = Meter.new.read(StatsFixture.at)

        assert_equal [nil, nil, nil, {}, {}],
          [reading.rate, reading.p50, reading.errors, reading.slot_rates, reading.cpu]
      end

      test "two looks have the rates of the time between" do
        reading = after(0, 4)

        assert_in_delta 30.0, reading.rate
        assert_equal({ 0 => 10.0, 1 => 10.0, 2 => 10.0 }, reading.slot_rates)
        assert_in_delta 0.5, reading.cpu.fetch(5002)
        assert_in_delta 0.0, reading.errors
      end

      test "errors are the share of 5xx among all responses, those of workers and those of the lobby's own" do
        assert_in_delta 0.25, errors({ "2xx" => 6, "5xx" => 2 }, nil)
        assert_in_delta 0.3, errors({ "2xx" => 6, "5xx" => 1 }, [["400", 1], ["502", 1], ["503", 1]])
        assert_in_delta 1.0, errors({ "2xx" => 0, "5xx" => 0 }, [["503", 4]])
        assert_in_delta 0.0, errors({ "2xx" => 1, "5xx" => 0 }, [["501", 4], ["505", 4]])
        assert_nil errors({ "2xx" => 0, "5xx" => 0 }, [["503", 0]])
      end

      test "percentiles are those of the requests in between, as if even within their bucket" do
        reading = after(0, 4) # 120 requests, 12 of them above 0.1 s

        assert_in_delta 0.01 + (0.09 * 60 / 108), reading.p50
        assert_in_delta 0.1 + (0.9 * (118.8 - 108) / 12), reading.p99
      end

      test "what is above the last bound counts as the bound" do
        meter = Meter.new
        meter.read(StatsFixture.at)
        later = StatsFixture.at(1)
        later[:histograms][:application_seconds][:counts][3] += 1_000_000

        assert_in_delta 1.0, meter.read(later).p99
      end

      test "a time without requests has no percentiles" do
        meter = Meter.new
        meter.read(StatsFixture.at)

        assert_nil meter.read(StatsFixture.at.merge(time: StatsFixture::TIME + 2)).p50
      end

      test "counts below those before have none: the monitor may stand still while it adds them up" do
        meter = Meter.new
        meter.read(StatsFixture.at(4))

        assert_nil meter.read(StatsFixture.at(0).merge(time: StatsFixture::TIME + 6)).p50
      end

      test "the figures cover the last ten seconds" do
        meter = Meter.new
        burst = StatsFixture.at(2).tap { |stats| stats[:totals][:requests] = 500 }
        meter.read(burst)
        rates = [4, 8, 12, 16].map { |seconds| meter.read(StatsFixture.at(seconds)).rate }

        assert_operator rates.first, :>, 1000
        assert_in_delta 30.0, rates.last
      end

      test "a process that was not there before has a share of the processor from the next look on" do
        meter = Meter.new
        meter.read(StatsFixture.at(0, workers: 2))

        assert_equal [5000, 5001, 5002], meter.read(StatsFixture.at(2, workers: 3)).cpu.keys
        assert_in_delta 0.75, meter.read(StatsFixture.at(4, workers: 3)).cpu.fetch(5003)
      end

      private

      # Of a second with so many responses of workers, and refusals of the lobby.
      def errors(responses, refusals)
        meter = Meter.new
        before, now = [0, 1].map do |seconds|
          refused = refusals&.map { |status, count| { status: status, cause: "cause", count: 50 + (count * seconds) } }
          totals = { requests: 0, responses: responses.transform_values { |count| 100 + (count * seconds) } }
          StatsFixture.at(seconds).merge(totals: totals, lobby: (refused && { refused: refused }))
        end
        meter.read(before)
        meter.read(now).errors
      end

      def after(*seconds)
        meter = Meter.new
        seconds.map { |at| meter.read(StatsFixture.at(at)) }.last
      end
    end
  end
end
