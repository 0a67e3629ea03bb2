# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/canary/traffic"
require_relative "../../../../support/canary_play"

module Coppice
  class Monitor
    class Canary
      class TrafficTest < TestCase
        # Of a canary of a minute, after so many requests in the last hour.
        def traffic(last_hour) = Traffic.new(last_hour: CanaryPlay.counts(last_hour), seconds: 60)

        # How long a pause is the end of it; nil if a pause of a minute is not.
        def longest_pause(last_hour)
          traffic = traffic(last_hour)
          (100..160).find { |now| traffic.ended?(now.to_f, 7) }&.then { |now| now - 100 }
        end

        test "a server that nobody asks has no traffic after five seconds" do
          assert_equal [5, 5], [0, 59].map { |last_hour| longest_pause(last_hour) }
        end

        test "so has a busy one whose traffic has ended" do
          assert_equal 5, longest_pause(100_000)
        end

        test "a server with a few requests a minute is given three of its usual intervals" do
          assert_equal [nil, 54, 15], [60, 200, 720].map { |last_hour| longest_pause(last_hour) }
        end

        test "each request that begins is waited for anew" do
          traffic = traffic(0)
          ended = [[100.0, 7], [104.9, 7], [105.0, 8], [109.9, 8], [110.0, 8]].map { |look| traffic.ended?(*look) }

          assert_equal [false, false, false, false, true], ended
        end
      end
    end
  end
end
