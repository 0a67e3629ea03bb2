# frozen_string_literal: true

require "coppice/stats"
require_relative "../../support/family_test_case"

# What the monitor writes to the board of releases.
class RollsStatisticsTest < FamilyTestCase
  def releases(family) = Coppice::Stats.new(family.board).to_h[:releases]

  def counts(family)
    found = releases(family)[:counts].select { |count| count[:count].positive? }
    found.to_h { |count| [count.values_at(:kind, :outcome), count[:count]] }
  end

  def roll(family, directory = "/releases/next")
    family.supervision.rolls.roll(directory, asked_by: "uid 7 (pid 8)")
  end

  # Time goes on, for the canary.
  def decided(family) = run_until(family) { family.system.advance(1) && family.roster.roll.decided? }

  test "the server begins with a release, which is no roll" do
    family = settled_family

    assert_equal [1, "1", "/releases/1"], releases(family)[:running].values_at(:number, :revision, :directory)
    assert_equal [["start", "committed", 1, 0.0]],
      releases(family)[:history].map { |entry| entry.values_at(:kind, :outcome, :number, :seconds) }
    assert_empty counts(family)
  end

  test "a roll is noted when it is asked for, once its directory is checked, and when it is committed" do
    family = settled_family(canary: true, canary_requests: 34)
    roll(family)
    assert_equal [nil, nil, "uid 7 (pid 8)", nil, nil],
      releases(family)[:history].first.values_at(:outcome, :number, :asked_by, :seconds, :canary)

    run_until(family) { family.roster.roll.prepared? }
    assert_equal [nil, 2, "next", 34],
      [*releases(family)[:history].first.values_at(:outcome, :number, :revision),
       releases(family)[:history].first[:canary][:wanted]]
    assert_equal 1, releases(family)[:running][:number]

    decided(family)
    entry = releases(family)[:history].first
    assert_equal ["committed", 2, family.roster.generation], entry.values_at(:outcome, :number, :generation)
    assert_operator entry[:seconds], :>=, 0
    assert_equal [2, "next"], releases(family)[:running].values_at(:number, :revision)
    assert_equal 2, family.board.release_number
    assert_equal({ %w[roll committed] => 1 }, counts(family))
  end

  test "however many rolls are given up, the running release is known" do
    family = settled_family
    20.times do
      roll(family, "/releases/no_gemfile")
      decided(family)
    end

    assert_equal [1, "/releases/1"], releases(family)[:running].values_at(:number, :directory)
    assert_equal [16, ["given_up", "no Gemfile", nil]],
      [releases(family)[:history].size, releases(family)[:history].first.values_at(:outcome, :reason, :number)]
    assert_equal({ %w[roll given_up] => 20 }, counts(family))
  end

  test "a rollback to the kept mold is to the release that it has" do
    family = settled_family
    roll(family)
    decided(family)
    family.settle
    family.supervision.rolls.rollback(asked_by: "USR1")
    assert_equal ["rollback", 1], releases(family)[:history].first.values_at(:kind, :number)

    decided(family)
    assert_equal [1, "1"], releases(family)[:running].values_at(:number, :revision)
    assert_equal({ %w[roll committed] => 1, %w[rollback committed] => 1 }, counts(family))
  end

  test "what a rollback boots has served before, and is no canary" do
    family = settled_family(canary: true, rollback_window: 0)
    roll(family)
    decided(family)
    family.settle
    family.supervision.rolls.rollback(asked_by: "USR1")
    run_until(family) { family.roster.roll.prepared? }

    assert_equal ["rollback", 1, nil], releases(family)[:history].first.values_at(:kind, :number, :canary)
  end
end
