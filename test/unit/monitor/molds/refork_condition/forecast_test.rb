# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/refork_condition/forecast"

module Coppice
  class ForecastTest < TestCase
    Forecast = Monitor::ReforkCondition::Forecast

    # 10 KiB for each request, 1000 requests so far; a refork is worth 100 requests of 100,000 KiB.
    STEADY = { level: 10_000, slope: 10.0, served: 1000, area: 5_000_000.0, floor: 0, rebuilt: 0, regrowth: 0.0,
               worth_a_request: 100_000, least: 5000, worth: 100 }.freeze

    def requests(**changes) = Forecast.new(**STEADY, **changes).requests

    test "a refork that pays is due now" do
      assert_equal 0, requests
    end

    test "with steady growth it pays when what is held is worth its cost" do
      assert_equal 0, requests(worth: 100)
      assert_equal 1000, requests(worth: 400) # 20,000 KiB for 2000 requests
      assert_equal 9000, requests(least: 100_000)
    end

    test "what comes back is not won" do
      assert_operator requests(worth: 400, regrowth: 0.5), :>, 1000
      assert_nil requests(worth: 400, regrowth: 1.0, floor: 10**9)
    end

    test "what the next mold would hold in addition is not won" do
      assert_operator requests(rebuilt: 9_000), :>, 0
      assert_equal requests(worth: 400), requests(worth: 400, level: 15_000, rebuilt: 5_000)
    end

    test "memory that does not grow never makes it pay" do
      assert_nil requests(worth: 400, slope: 0.0)
      assert_nil requests(worth: 400, slope: -1.0)
      assert_nil requests(worth: 10**15)
    end
  end
end
