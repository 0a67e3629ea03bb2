# frozen_string_literal: true

require "test_helper"
require "coppice/observer/health"
require_relative "../../support/sample_stats"

module Coppice
  class Observer
    class HealthTest < TestCase
      def verdict(question, max_waiting: nil, lobby: false, **server)
        health = Health.new(max_waiting: max_waiting, lobby: lobby)
        verdict = health.public_send(question, SampleStats.of(**server))
        [verdict.good, verdict.reason]
      end

      # What the server is like => whether it is live, whether it is ready, and why it is (not) ready.
      STATES = {
        {} => [true, true, "3 of 3 workers ready, 1 busy, 4 clients waiting"],
        { requests_waiting: nil } => [true, true, "3 of 3 workers ready, 1 busy, an unknown number of clients waiting"],
        { workers_busy: 3 } => [true, true, "all 3 ready workers are busy, 4 clients waiting"],
        { workers_ready: 1 } => [true, true, "all 1 ready workers are busy, 4 clients waiting"],
        { workers_ready: 0, workers_busy: 0 } => [false, false, "no worker is ready"],
        { state: "booting", workers_ready: 0 } => [true, false, "the server is booting: no worker was ready yet"],
        { state: "stopping" } => [true, false, "the server is stopping"],
        { state: "stopping", workers_ready: 0 } => [true, false, "the server is stopping"],
        { monitor_beat_age: 9.9 } => [true, true, "3 of 3 workers ready, 1 busy, 4 clients waiting"],
        { monitor_beat_age: nil } => [true, true, "3 of 3 workers ready, 1 busy, 4 clients waiting"],
        { monitor_beat_age: 12.34 } =>
          [false, false, "the monitor is stopped or hangs: its loop last turned 12.3 s ago"],
        { state: "booting", monitor_beat_age: 12.34 } =>
          [false, false, "the monitor is stopped or hangs: its loop last turned 12.3 s ago"]
      }.freeze

      STATES.each do |server, (live, ready, reason)|
        test "live and ready with #{server}" do
          assert_equal live, verdict(:live, **server).first
          assert_equal [ready, reason], verdict(:ready, **server)
        end
      end

      test "with more clients waiting than max_waiting it is live and not ready" do
        assert_equal [false, "4 clients waiting, more than max_waiting 3"], verdict(:ready, max_waiting: 3)
        assert verdict(:ready, max_waiting: 4).first
        assert verdict(:ready, max_waiting: 0, requests_waiting: nil).first
        assert verdict(:live, max_waiting: 3).first
      end

      # max_waiting, workers that are busy, requests that wait => whether the lobby would refuse another one.
      { [4, 3, 4] => true, [4, 3, 3] => false, [4, 2, 4] => false, [4, 2, 5] => true, [0, 3, 0] => true,
        [0, 2, 0] => false, [0, 2, 1] => true }.each do |(max_waiting, busy, waiting), full|
        test "#{busy} of 3 workers busy, #{waiting} waiting in the lobby with max_waiting #{max_waiting}" do
          good, reason = verdict(:ready, max_waiting: max_waiting, lobby: true, workers_busy: busy,
            requests_waiting: waiting)

          assert_equal !full, good
          assert_equal full, reason == "#{waiting} clients waiting, and max_waiting #{max_waiting} allows no more"
        end
      end
    end
  end
end
