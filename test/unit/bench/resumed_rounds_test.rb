# frozen_string_literal: true

require "minitest/mock"
require "test_helper"
require_relative "../../../bench/lib/resumed_rounds"

class ResumedRoundsTest < Coppice::TestCase
  Plan = Struct.new(:label, :version)

  # Runs no server: yields the plan's label.
  module NoServers
    def self.run(plan) = yield(plan.label)
  end

  PUMA = Plan.new("puma", "8.0").freeze
  COPPICE = Plan.new("coppice", "0.1").freeze

  def setup
    @folder = Dir.mktmpdir
    @measured = []
  end

  def teardown = FileUtils.rm_r(@folder)

  test "servers take turns, and each row says what it is of" do
    rows = run_rounds(2)

    assert_equal [["puma", 1], ["coppice", 1], ["puma", 2], ["coppice", 2]], @measured
    assert_equal({ "app" => "shop", "server" => "puma", "round" => 1, "version" => "8.0", "length" => 4 }, rows.first)
  end

  test "what the file has is not measured again" do
    run_rounds(1)
    @measured.clear
    rows = run_rounds(2)

    assert_equal [["puma", 2], ["coppice", 2]], @measured
    assert_equal([1, 1, 2, 2], rows.map { |row| row["round"] })
  end

  test "rows of something else are not taken for it" do
    run_rounds(1, facts: { "app" => "campfire" })
    @measured.clear

    assert_equal(%w[shop shop], run_rounds(1).map { |row| row["app"] })
    assert_equal [["puma", 1], ["coppice", 1]], @measured
  end

  test "the rows returned are those of the rounds and the servers that were asked for" do
    run_rounds(2)

    assert_equal([["coppice", 1]], run_rounds(1, plans: [COPPICE]).map { |row| row.values_at("server", "round") })
  end

  test "a server that fails has no row and is named; it is measured when the benchmark goes on" do
    rows = run_rounds(1) { |label| raise Bench::Failure, "#{label} is down\nlog" if label == "puma" }
    report = Minitest::Mock.new.expect(:text, nil, ["puma has no figures in round 1: puma is down."])
    @rounds.write_failed(report)
    @measured.clear
    run_rounds(1)

    assert_equal(["coppice"], rows.map { |row| row["server"] })
    assert_equal [["puma", 1]], @measured
    report.verify
  end

  private

  def run_rounds(count, plans: [PUMA, COPPICE], facts: { "app" => "shop" })
    file = Bench::RowFile.new(File.join(@folder, "rows.jsonl"))
    @rounds = Bench::ResumedRounds.new(file, facts, servers: NoServers)
    rows = nil
    capture_io do
      rows = @rounds.run(plans, count) do |label, round|
        @measured << [label, round]
        yield label if block_given?
        { "length" => label.size }
      end
    end
    rows
  end
end
