# frozen_string_literal: true

require "json"
require "test_helper"
require "coppice/observer/puma_stats"
require_relative "../../support/sample_stats"

module Coppice
  class Observer
    class PumaStatsTest < TestCase
      def stats(**server) = PumaStats.new(SampleStats.of(**server)).to_h

      test "the server is a cluster, its generation a phase" do
        assert_equal({ started_at: "2026-09-21T14:13:20Z", workers: 3, phase: 1, booted_workers: 3, old_workers: 1 },
          stats.except(:worker_status))
      end

      test "each worker is one with one thread" do
        first, second, third = stats[:worker_status]

        assert_equal [102, 0, 1, true], first.values_at(:pid, :index, :phase, :booted)
        assert_equal({ running: 1, pool_capacity: 0, busy_threads: 1, max_threads: 1, requests_count: 7 },
          first[:last_status].except(:backlog))
        assert_equal 1, second[:last_status][:pool_capacity]
        assert_equal [false, {}], third.values_at(:booted, :last_status)
      end

      test "the clients that wait are divided among the workers" do
        assert_equal [3, 2], backlogs(requests_waiting: 5)
        assert_equal [0, 0], backlogs(requests_waiting: nil)
      end

      private

      def backlogs(**server)
        stats(**server)[:worker_status].filter_map { |worker| worker[:last_status][:backlog] }
      end
    end
  end
end
