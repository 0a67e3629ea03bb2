# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/lib/command_line"

class SlotServersTest < Coppice::TestCase
  test "puma has four threads in each worker, the others a worker for each slot" do
    expected = { 4 => ["puma 1x4", "puma 1x4", "coppice 4"], 16 => ["puma 4x4", "puma 1x16", "coppice 16"],
                 32 => ["puma 8x4", "puma 1x32", "coppice 32"] }

    expected.each do |slots, labels|
      plans = plans(slots, "--servers", "puma,puma-single,coppice")

      assert_equal labels, plans.map(&:label)
      assert_equal([slots] * 3, plans.map { |plan| [plan.workers.to_i, 1].max * plan.threads })
      assert_equal labels.first, servers(slots).reference
    end
  end

  test "coppice runs once for each setting of its workers" do
    plans = plans(16, "--servers", "coppice", "--coppice-workers", "16,2..16")

    assert_equal [["coppice 16", 16], ["coppice 2..16", 2]], plans.map { |plan| [plan.label, plan.fewest_workers] }
    assert_includes configuration(plans.last), "worker_processes 2..16\nrefork_after :auto"
  end

  test "another checkout runs as a server of its own, with the same settings" do
    before = plans(16, "--servers", "before", "--before", "/elsewhere", "--setting", "timeout 30").first

    assert_equal "/elsewhere/exe/coppice", before.server.command.call(before, 1, "c").first
    assert_includes configuration(before), "worker_processes 16\nrefork_after :auto\ntimeout 30"
  end

  test "another checkout has to be named" do
    error = assert_raises(Bench::Failure) { plans(16, "--servers", "before") }

    assert_includes error.message, "--before FOLDER"
  end

  test "threads of puma have a database connection each" do
    plans = plans(16, "--servers", "puma,puma-single")

    assert_equal(%w[4 16], plans.map { |plan| plan.environment["RAILS_MAX_THREADS"] })
    assert_includes configuration(plans(16, "--servers", "puma-io").first), "max_io_threads 16"
  end

  private

  def plans(slots, *arguments) = servers(slots, *arguments).plans

  def servers(slots, *arguments)
    line = Bench::CommandLine.new(banner: "")
    line.parse(arguments)
    Bench::SlotServers.new(Bench::Options.new(slots: slots, **line.chosen), app: "mixed.ru")
  end

  def configuration(plan) = plan.server.config.call(plan, 1, "path")
end
