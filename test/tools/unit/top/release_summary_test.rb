# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/release_summary"

module Coppice
  module Top
    class ReleaseSummaryTest < TestCase
      TIME = 1_790_000_000.0
      ROLL = { kind: "roll", phase: "booting", age: 12.3, number: 3, revision: "77e1", directory: "/srv/3",
               asked_by: "uid 1000 (pid 44)", canary: { wanted: 200, requests: 34, failed: 0 } }.freeze

      def summary(**releases) = ReleaseSummary.new(time: TIME, releases: releases)
      def roll(**values) = summary(roll: ROLL.merge(values)).roll.to_s

      test "a board without releases has no lines" do
        assert_equal [nil, nil], [ReleaseSummary.new({}).roll, ReleaseSummary.new({}).running]
        assert_equal [nil, nil], [summary.roll, summary.running]
      end

      test "which release runs since when and where, and for how long there is a way back without a boot" do
        running = { number: 2, revision: "4f2a", directory: "/srv/\e[2J", since: TIME - 90 }

        assert_equal "release   2 4f2a   for 1m30s   in /srv/\\u{1b}[2J", summary(running: running).running.to_s
        assert_equal "release   2   for 1m30s   rollback without a boot for 9m09s   in /srv/2",
          summary(running: { **running, revision: nil, directory: "/srv/2" },
            rollback: { number: 1, time_left: 549.5 }).running.to_s
      end

      test "where a roll is" do
        assert_equal "roll      booting  release 3 77e1   for 12s   asked by uid 1000 (pid 44)", roll
        assert_match(%r{^rollback  checking  /srv/3   for}, roll(kind: "rollback", phase: "checking", number: nil))
        assert_match(/^roll      canary 34 of 200 requests  release 3 77e1   for 12s   asked/, roll(phase: "canary"))
        assert_match(/  for 12s   failed 2   asked/,
          roll(phase: "canary", canary: { wanted: 200, requests: 34, failed: 2 }))
        assert_match(/^roll      rollout, 5 workers left  release 3/, roll(phase: "rollout", workers_left: 5))
      end
    end
  end
end
