# frozen_string_literal: true

# lane: soak -- runs suites with a bundle of their own

require "test_helper"
require_relative "../../support/refork_suite"

# What a refork in a suite does as a promotion of a server does it, and what it leaves to the first process.
class TestReforksHooksTest < Coppice::TestCase
  NAMES = %w[before_fork after_fork_in_parent after_mold_fork after_worker_fork after_worker_ready].freeze
  SUITE = <<~RUBY
    require "simplecov"
    SimpleCov.start
    require "minitest/autorun"
    require "coppice/minitest"
    require_relative "branches"

    Coppice.at_fork(before: -> { File.write("calls", "\#{Process.pid} before\\n", mode: "a") })

    class BranchesTest < Minitest::Test
      i_suck_and_my_tests_are_order_dependent!
      def test_first = assert_equal(1, Branches.first)
      def test_second = assert_equal(2, Branches.second)
    end
  RUBY
  BRANCHES = <<~RUBY
    module Branches
      def self.first
        1
      end

      def self.second
        2
      end
    end
  RUBY

  test "the hooks of the configuration run in the order of a promotion, after the blocks of at_fork" do
    hooks = NAMES.map { |name| "#{name} { |*| File.write('calls', \"\#{Process.pid} #{name}\\n\", mode: 'a') }\n" }

    run_suite(hooks.join) do |outcome, folder|
      calls = File.readlines("#{folder}/calls").map(&:split).group_by(&:first).values
      worker, mold, next_worker = calls.map { |lines| lines.map(&:last) }

      assert_predicate outcome.status, :success?, outcome.output
      assert_equal %w[before before_fork after_fork_in_parent], worker
      assert_equal %w[after_mold_fork before before_fork], mold.first(3) # it may be gone before it calls the next one
      assert_equal %w[after_worker_fork after_worker_ready], next_worker
    end
  end

  test "hooks learn their generation" do
    hook = "after_worker_fork { |_server, worker| puts \"worker \#{worker.nr} of generation \#{worker.generation}\" }"

    run_suite(hook) { |outcome| assert_includes outcome.output, "worker 0 of generation 1" }
  end

  test "a hook that fails, or refuses the promotion, ends the suite with an error" do
    { "raise 'not safe'" => "the mold of generation 1 (process N) failed: not safe (RuntimeError)",
      "exit" => "the mold of generation 1 (process N) exited with status 71" }.each do |action, error|
      run_suite("after_mold_fork { |*| #{action} }") do |outcome|
        assert_equal 1, outcome.status.exitstatus
        assert_includes outcome.output.gsub(/process \d+/, "process N"), error
        assert_includes outcome.output, "2 runs, 1 assertions, 0 failures, 1 errors"
      end
    end
  end

  test "a configuration that cannot be read ends the suite with its error" do
    run_suite("no_such_option 1") do |outcome|
      assert_equal 1, outcome.status.exitstatus
      assert_includes outcome.output, "config/coppice.rb:1: unknown option or hook no_such_option"
    end
  end

  test "SimpleCov has what all generations covered" do
    run_suite("") do |outcome, folder|
      assert_predicate outcome.status, :success?, outcome.output
      assert_includes File.read("#{folder}/coverage/.last_run.json"), "100.0"
    end
  end

  private

  # Yields the outcome of a suite of two tests in a folder of its own, with this configuration.
  def run_suite(configuration)
    with_tmpdir do |folder|
      Dir.mkdir("#{folder}/config")
      File.write("#{folder}/config/coppice.rb", configuration)
      File.write("#{folder}/branches.rb", BRANCHES)
      File.write("#{folder}/suite.rb", SUITE)
      yield ReforkSuite.run(:minitest, "#{folder}/suite.rb", folder: folder), folder
    end
  end
end
