# frozen_string_literal: true

require "test_helper"
require "coppice/observer/health"
require_relative "../../support/sample_stats"

module Coppice
  class Observer
    class HealthTest < TestCase
      # lobby: what is other there than in the sample.
      def verdict(question, max_waiting: 1024, lobby: {}, **server)
        stats = SampleStats.of(**server)
        stats[:lobby] = stats[:lobby].merge(lobby)
        verdict = Health.new(max_waiting: max_waiting).public_send(question, stats)
        [verdict.good, verdict.reason]
      end

      # What the server is like => whether it is live, whether it is ready, and why it is (not) ready.
      STATES = {
        {} => [true, true, "3 of 3 workers ready, 1 busy, 4 clients waiting"],
        { requests_waiting: nil } => [true, true, "3 of 3 workers ready, 1 busy, an unknown number of clients waiting"],
        { workers_ready: 5 } => [true, true, "3 of 3 and 2 surplus workers ready, 1 busy, 4 clients waiting"],
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

      test "with more clients waiting at listeners than max_waiting it is live and not ready" do
        assert_equal [false, "4 clients waiting, more than max_waiting 2"], verdict(:ready, max_waiting: 2)
        assert verdict(:ready, max_waiting: 3).first # one of the four waits in the lobby
        assert verdict(:ready, max_waiting: 0, requests_waiting: nil).first
        assert verdict(:live, max_waiting: 2).first
      end

      test "while the lobby cannot accept connections it is live and not ready" do
        paused = { paused: true }

        assert_equal [false, "the lobby cannot accept connections"], verdict(:ready, lobby: paused)
        assert verdict(:live, lobby: paused).first
      end

      test "while the lobby refuses requests it is live and not ready" do
        full = { full: true }

        assert_equal [false, "4 clients waiting, and max_waiting 3 allows no more"],
          verdict(:ready, max_waiting: 3, lobby: full)
        assert verdict(:live, max_waiting: 3, lobby: full).first
      end

      test "more requests than max_waiting in the lobby are those that free workers take" do
        assert verdict(:ready, max_waiting: 0, requests_waiting: 1, lobby: { waiting: 1 }).first
      end

      test "a server without a lobby is asked for its listeners alone" do
        stats = SampleStats.of.merge(lobby: nil)

        assert_equal([false, true], [3, 4].map { |most| Health.new(max_waiting: most).ready(stats).good })
      end
    end
  end
end
