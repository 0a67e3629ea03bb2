# frozen_string_literal: true

require "test_helper"
require "coppice/control/status_page"

module Coppice
  module Control
    # Releases in `coppice status`.
    class ReleaseLinesTest < TestCase
      TIME = 1_790_000_000.0
      SERVER = { state: "serving", pid: 7, generation: 3, workers: 2, workers_ready: 2, workers_busy: 0 }.freeze
      START = { kind: "start", outcome: "committed", number: 1, revision: "4f2a", directory: "/srv/1",
                time: TIME - 9000, seconds: 0.0, asked_by: nil, reason: nil, canary: nil }.freeze
      FAILED = { kind: "roll", outcome: "given_up", number: nil, revision: nil, directory: "/srv/2", time: TIME - 600,
                 seconds: 0.25, asked_by: "USR1", reason: "no Gemfile\e[2J", canary: nil }.freeze
      ROLL = { kind: "roll", number: 3, revision: "77e1", directory: "/srv/3", time: TIME - 90,
               asked_by: "uid 1000 (pid 44)", canary: { wanted: 200, requests: 34, failed: 1 } }.freeze
      RUNNING = { number: 1, revision: "4f2a", directory: "/srv/1", since: TIME - 9000 }.freeze

      def lines(processes: [], **releases)
        releases = { running: RUNNING, roll: nil, rollback: nil, history: [START], **releases }
        status = { version: "0.1.0", time: TIME, server: SERVER, processes: processes, releases: releases }
        StatusPage.new(status).lines
      end

      def roll(**values) = lines(roll: { **ROLL, **values }).grep(/\Aroll/).first

      test "a server that has never rolled says which release runs, and no more" do
        assert_equal ["server   serving, generation 3, Coppice 0.1.0, process 7",
                      "release  1 (4f2a) in /srv/1, for 2 h 30 min", "workers  2 of 2 ready, 0 busy", "",
                      "process  pid  state  requests  PSS  private  request"], lines
      end

      test "where a roll is" do
        asked = "asked for by uid 1000 (pid 44) 1 min ago"

        assert_equal "roll     roll to /srv/3: checking; #{asked}", roll(phase: "checking", number: nil)
        assert_match(%r{roll to release 3 \(77e1\) in /srv/3: booting; asked for by uid}, roll(phase: "booting"))
        assert_match(/: canary, 34 of 200 requests, 1 failed; asked/, roll(phase: "canary"))
        assert_match(/: rollout, 5 workers left to replace; asked/, roll(phase: "rollout", workers_left: 5))
      end

      test "how long there is a way back without a boot" do
        line = lines(rollback: { number: 1, time_left: 549.5 }).grep(/\Arollback/).first

        assert_equal "rollback  to release 1 without a boot for another 9 min", line
      end

      test "the last five that were asked for, newest first" do
        committed = { **ROLL, outcome: "committed", seconds: 34.2, reason: nil,
                      canary: { wanted: 200, requests: 200, failed: 1 } }
        under_way = { **ROLL, kind: "rollback", outcome: nil, seconds: nil, canary: nil }
        text = lines(history: [under_way, committed, FAILED, START]).join("\n")

        assert_includes text, <<~TEXT
          release  revision  kind      asked by           asked           canary                  outcome
          3        77e1      rollback  uid 1000 (pid 44)  1 min ago       -                       under way
          3        77e1      roll      uid 1000 (pid 44)  1 min ago       200 requests, 1 failed  committed after 34.2 s
          -        /srv/2    roll      USR1               10 min ago      -                       given up after 0.3 s: no Gemfile?[2J
          1        4f2a      start     -                  2 h 30 min ago  -                       committed
        TEXT
        assert_equal 5, lines(history: Array.new(9) { FAILED }).grep(/given up/).size
      end

      test "a release that was committed with too few requests differs from one without a canary" do
        shown = [{ wanted: 50, requests: 0, failed: 0 }, { wanted: 50, requests: 2, failed: 0 }, nil].map do |canary|
          lines(history: [{ **ROLL, outcome: "committed", seconds: 60.1, reason: nil, canary: canary }])
            .join("\n")[/min ago +(.+?) +committed after/, 1]
        end

        assert_equal ["0 of 50 requests, 0 failed", "2 of 50 requests, 0 failed", "-"], shown
        booting = { **ROLL, outcome: nil, canary: { wanted: 50, requests: 0, failed: 0 } }

        assert_match(/ago\s+-\s+under way/, lines(history: [booting]).join("\n"))
      end

      test "processes of another release than the committed one are marked" do
        process = { role: "worker", slot: 0, generation: 4, release: 3, pid: 12, state: "idle", requests: 0 }
        shown = lines(processes: [process, { **process, slot: 1, release: 1 }, { **process, slot: 2, release: nil }])

        assert_equal ["worker[0] (gen 4, release 3)", "worker[1] (gen 4)", "worker[2] (gen 4)"],
          shown.last(3).map { |line| line[/\A.*\)/] }
      end
    end
  end
end
