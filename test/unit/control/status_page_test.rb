# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require "coppice/control/status_page"
require "coppice/stats"

module Coppice
  module Control
    class StatusPageTest < TestCase
      def page(server: {}, **rest)
        server = { state: "serving", pid: 7, generation: 3, workers: 4, workers_ready: 4, workers_busy: 1, **server }
        StatusPage.new({ version: "0.1.0", server: server, processes: [], **rest }).lines.join("\n")
      end

      test "everything that is known" do
        listeners = [{ name: "http://0.0.0.0:80", queue: 2, backlog: 1024 }, { name: "/run/app.sock", queue: nil }]
        text = page(
          server: { uptime: 93_784, utilization: 0.256, requests_waiting: 2, listeners: listeners,
                    monitor_beat_age: 0.5 },
          memory: { pss: 100 << 20, saved: 300 << 20, available: 1 << 30 }, time: 1000.0,
          promotions: [{ generation: 3, reason: "auto", refork: true, outcome: "committed", time: 700.0 }],
          exits: { worker: { "asked" => 9, "signal" => 2 }, mold: { "signal" => 1, "failed" => 0 } },
          recent_exits: [{ role: "worker", slot: 2, pid: 45, cause: "asked" },
                         { role: "worker", slot: 1, pid: 44, cause: "signal" }]
        )

        assert_equal <<~TEXT.chomp, text
          server           serving, generation 3, Coppice 0.1.0, process 7, up 1 d 2 h 3 min
          workers          4 of 4 ready, 1 busy, utilization 26 %
          clients waiting  2
          listeners        http://0.0.0.0:80 (2 of 1024 in its queue), /run/app.sock
          memory           100.0 MiB in molds, workers, services and guests, sharing saves 300.0 MiB, 1024.0 MiB available
          last refork      generation 3: committed, 5 min ago (auto)
          deaths           3 signal; last: worker[1] (process 44), signal

          process  pid  state  requests  PSS  private  request
        TEXT
      end

      test "workers that are ready beside those whose place they take" do
        assert_match(/^workers +4 of 4 and 2 surplus ready, 1 busy$/, page(server: { workers_ready: 6 }))
      end

      test "a lobby that takes no more clients says so first" do
        lobby = { connections: 9, idle: 7, requests: 70, refused: [], retried: 0, full: false, paused: false }
        says = [{ beat_age: 2.1 }, { full: true }, { full: true, paused: true }, { beat_age: 7.2 },
                { held_back: 0 }, { held_back: 1, held_route: "GET /a/*" }].map do |troubles|
          page(lobby: { **lobby, **troubles })[/^lobby +(.*)9 connections open/, 1]
        end

        assert_equal ["", "refuses requests: as many wait as may; ",
                      "cannot accept connections; refuses requests: as many wait as may; ",
                      "has not moved for 7.2 s: it is stopped or hangs; ",
                      "", "holds back 1 request of slow routes, such as GET /a/*; "], says
      end

      test "a promotion that is no refork is not the last one, and an exit that was asked for no death" do
        text = page(promotions: [{ generation: 0, reason: "roll", refork: false, outcome: "committed" }],
                    recent_exits: [{ role: "worker", slot: 2, pid: 45, cause: "asked" }])

        refute_match(/^(last refork|deaths)/, text)
      end

      test "an idle worker whose application took a connection over" do
        worker = { role: "worker", slot: 1, generation: 1, pid: 12, state: "idle", requests: 3, hijacked: 1 }

        assert_match(/^worker\[1\] \(gen 1\)   12  idle  +3 +- +-  1 connection taken over since its fork$/,
          page(processes: [worker, { **worker, slot: 2, hijacked: 0 }]))
      end

      test "work after a response is told from a request that waits for its answer" do
        worker = { role: "worker", slot: 1, generation: 1, pid: 12, state: "busy", requests: 3, hijacked: 0,
                   request: "GET /x", request_age: 5.0 }
        text = page(processes: [worker, { **worker, slot: 2, answered_age: 3.04, overdue: true }])

        assert_equal ["GET /x for 5.0 s", "GET /x, after its response for 3.0 s, OVERDUE"], text.scan(/GET .*$/)
      end

      test "a death of what was never a process has no number of one" do
        text = page(exits: { worker: { "never_forked" => 1 } },
                    recent_exits: [{ role: "worker", slot: 2, pid: nil, cause: "never_forked" }])

        assert_match(/^deaths +1 never_forked; last: worker\[2\], never_forked$/, text)
      end

      test "a monitor that does not move is what matters" do
        assert_includes page(server: { monitor_beat_age: 61 }), "process 7: THE MONITOR HAS NOT MOVED for 1 min"
      end

      test "the board of a server without a process" do
        board = Board.create
        status = Stats.new(board).to_h

        assert_equal ["booting", 0, []], [status[:server][:state], status[:server][:workers_ready], status[:processes]]
      ensure
        board.close
      end

      test "an overdue request, and a process that has not measured itself" do
        board = Board.create
        board.rows_count = 1
        row = board.row(0)
        row.assign(role: :worker, nr: 5, generation: 1)
        row.pid = 12
        row.ready = 1
        now_ms = OS::Clock.now_ms
        row.started_ms = now_ms - 30_000
        row.deadline_ms = row.started_ms + 20_000
        row.request = "GET /report\e[2J"
        row.hijacked = 2
        stats = OS::Clock.stub(:now_ms, now_ms) { Stats.new(board).to_h }

        assert_match(%r{^worker\[5\] \(gen 1\)   12  busy  +0 +- +-  GET /report\?\[2J for 30\.0 s, OVERDUE; 2 conn},
          StatusPage.new(stats).lines.last)
      ensure
        board.close
      end
    end
  end
end
