# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/stats"

module Coppice
  # What a reader of the board learns about releases.
  class StatsReleasesTest < TestCase
    def setup
      @board = Board.create
      @rows = 0
    end

    def teardown
      @board.close
    end

    def releases = Stats.new(@board).to_h[:releases]

    # A record of the ring; kind and outcome by their names.
    def note(kind, outcome, number, **values)
      sequence = @board.releases_count + 1
      outcome = outcome ? 1 + Board::ROLL_OUTCOMES.index(outcome) : 0
      @board.release_record(sequence).fill(sequence, { time_ms: 1_500_000, kind: Board::ROLL_KINDS.index(kind),
                                                       outcome: outcome, number: number, decided_us: -1, **values })
      @board.releases_count = sequence
    end

    def process(role, release:, generation:, ready: true, leaving: 0)
      row = @board.row(@rows)
      @board.rows_count = @rows += 1
      row.assign(role: role, nr: (0 if role == :worker), generation: generation)
      row.pid = Process.pid
      row.release_number = release
      row.ready = 1 if ready
      row.leaving = leaving
    end

    def roll = releases[:roll]

    test "a board on which nothing is noted" do
      assert_equal({ running: nil, roll: nil, rollback: nil, history: [] }, releases.except(:counts))
      assert_equal [0], releases[:counts].map { |count| count[:count] }.uniq
    end

    test "the history is newest first, and what is unknown is nil" do
      note("start", "committed", 1, decided_us: 0, directory: "/a", revision: "abc", asked_by: "", reason: "")
      note("roll", "given_up", 0, decided_us: 2_500_000, directory: "/b", revision: "", asked_by: "USR1",
        reason: "no Gemfile \xFF".b)

      assert_equal [
        { kind: "roll", outcome: "given_up", number: nil, revision: nil, directory: "/b", generation: nil, time: 1500.0,
          seconds: 2.5, asked_by: "USR1", reason: "no Gemfile \uFFFD", canary: nil },
        { kind: "start", outcome: "committed", number: 1, revision: "abc", directory: "/a", generation: 0, time: 1500.0,
          seconds: 0.0, asked_by: nil, reason: nil, canary: nil }
      ], releases[:history]
      assert_nil roll
    end

    test "the running release begins when it is committed" do
      @board.running_release.fill(3, { time_ms: 1_500_000, decided_us: 2_500_000, number: 2, revision: "def",
                                       directory: "/b" })

      assert_equal({ number: 2, revision: "def", directory: "/b", since: 1502.5 }, releases[:running])
    end

    test "while the monitor overwrites it, the running release is unknown" do
      @board.running_release.fill(3, { time_ms: 1_500_000, number: 2 })
      @board.running_release.sequence = 0

      assert_nil releases[:running]
    end

    test "the phases of a roll" do
      @board.generation = 4
      process(:mold, release: 1, generation: 4)
      process(:worker, release: 1, generation: 4)
      note("roll", nil, 0, directory: "/b", canary_wanted: 0)
      phases = [roll[:phase]]
      @board.release_record(1).number = 2
      @board.release_record(1).canary_wanted = 200
      phases << roll[:phase]
      process(:mold, release: 2, generation: 5, ready: false)
      phases << roll[:phase]
      @board.row(2).ready = 1
      phases << roll[:phase]
      process(:worker, release: 2, generation: 5, ready: false)
      phases << roll[:phase]
      @board.row(3).ready = 1
      phases << roll[:phase]

      assert_equal %w[checking waiting booting trial trial canary], phases
      @board.release_record(1).canary_requests = 34
      @board.release_record(1).canary_failed = 1
      assert_equal({ wanted: 200, requests: 34, failed: 1 }, roll[:canary])
      assert_equal [2, "roll", "/b", nil], roll.values_at(:number, :kind, :directory, :workers_left)
    end

    test "a roll that is committed goes on until no worker of another release is left" do
      note("roll", "committed", 2)
      process(:worker, release: 2, generation: 5)
      process(:worker, release: 1, generation: 4, leaving: 1)

      assert_equal ["rollout", 1], roll.values_at(:phase, :workers_left)
      @board.row(1).release_number = 2
      assert_nil roll
    end

    test "without a canary the first worker is only a trial" do
      @board.generation = 4
      process(:mold, release: 2, generation: 5)
      process(:worker, release: 2, generation: 5)
      note("roll", nil, 2)

      assert_equal "trial", roll[:phase]
    end

    test "a kept mold is no candidate: a rollback to it waits for its turn" do
      @board.generation = 4
      process(:mold, release: 1, generation: 3)
      note("rollback", nil, 1)

      assert_equal "waiting", roll[:phase]
    end

    test "how long a rollback needs no boot, and to which release" do
      @board.generation = 4
      @board.rollback_ms = OS::Clock.now_ms + 3_600_000
      process(:mold, release: 1, generation: 2, leaving: 1)
      process(:mold, release: 7, generation: 3)
      process(:mold, release: 8, generation: 4)
      rollback = releases[:rollback]

      assert_equal 7, rollback[:number]
      assert_in_delta 3600, rollback[:time_left], 60
      @board.rollback_ms = 1
      assert_equal 0, releases[:rollback][:time_left]
    end
  end
end
