# frozen_string_literal: true

require "coppice/stats"
require_relative "../../../support/supervision_test_case"

# What the monitor writes to the board of releases.
class RollsRecordsTest < SupervisionTestCase
  def releases(server) = Coppice::Stats.new(server.board).to_h[:releases]

  def counts(server)
    found = releases(server)[:counts].select { |count| count[:count].positive? }
    found.to_h { |count| [count.values_at(:kind, :outcome), count[:count]] }
  end

  def roll(server, directory = "/releases/next")
    server.supervision.rolls.roll(directory, asked_by: "uid 7 (pid 8)")
  end

  # Time goes on, for the canary.
  def decided(server) = run_until(server) { server.system.advance(1) && server.roster.roll.decided? }

  test "the server begins with a release, which is no roll" do
    server = settled_server

    assert_equal [1, "1", "/releases/1"], releases(server)[:running].values_at(:number, :revision, :directory)
    assert_equal [["start", "committed", 1, 0.0]],
      releases(server)[:history].map { |entry| entry.values_at(:kind, :outcome, :number, :seconds) }
    assert_empty counts(server)
  end

  test "a roll is noted when it is asked for, once its directory is checked, and when it is committed" do
    server = settled_server(canary: true, canary_requests: 34)
    roll(server)
    assert_equal [nil, nil, "uid 7 (pid 8)", nil, nil],
      releases(server)[:history].first.values_at(:outcome, :number, :asked_by, :seconds, :canary)

    run_until(server) { server.roster.roll.prepared? }
    assert_equal [nil, 2, "next", 34],
      [*releases(server)[:history].first.values_at(:outcome, :number, :revision),
       releases(server)[:history].first[:canary][:wanted]]
    assert_equal 1, releases(server)[:running][:number]

    decided(server)
    entry = releases(server)[:history].first
    assert_equal ["committed", 2, server.roster.generation], entry.values_at(:outcome, :number, :generation)
    assert_operator entry[:seconds], :>=, 0
    assert_equal [2, "next"], releases(server)[:running].values_at(:number, :revision)
    assert_equal 2, server.board.release_number
    assert_equal({ %w[roll committed] => 1 }, counts(server))
  end

  test "however many rolls are given up, the running release is known" do
    server = settled_server
    20.times do
      roll(server, "/releases/no_gemfile")
      decided(server)
    end

    assert_equal [1, "/releases/1"], releases(server)[:running].values_at(:number, :directory)
    assert_equal [16, ["given_up", "no Gemfile", nil]],
      [releases(server)[:history].size, releases(server)[:history].first.values_at(:outcome, :reason, :number)]
    assert_equal({ %w[roll given_up] => 20 }, counts(server))
  end

  test "a rollback to the kept mold is to the release that it has" do
    server = settled_server
    roll(server)
    decided(server)
    server.settle
    server.supervision.rolls.rollback(asked_by: "USR1")
    assert_equal ["rollback", 1], releases(server)[:history].first.values_at(:kind, :number)

    decided(server)
    assert_equal [1, "1"], releases(server)[:running].values_at(:number, :revision)
    assert_equal({ %w[roll committed] => 1, %w[rollback committed] => 1 }, counts(server))
  end

  test "what a rollback boots has served before, and is no canary" do
    server = settled_server(canary: true, rollback_window: 0)
    roll(server)
    decided(server)
    server.settle
    server.supervision.rolls.rollback(asked_by: "USR1")
    run_until(server) { server.roster.roll.prepared? }

    assert_equal ["rollback", 1, nil], releases(server)[:history].first.values_at(:kind, :number, :canary)
  end
end
