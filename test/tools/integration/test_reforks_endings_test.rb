# frozen_string_literal: true

# lane: soak -- runs whole suites of Minitest and RSpec

require "test_helper"
require_relative "../../support/refork_suite"

# Suites of Minitest and RSpec that end early or are refused, with reforks: test/test_reforks.
class TestReforksEndingsTest < Coppice::TestCase
  SUMMARIES = {
    minitest: { lost: "2 runs, 1 assertions, 0 failures, 1 errors", all: "3 runs, 3 assertions, 0 failures" },
    rspec: { lost: "2 examples, 1 failure", all: "3 examples, 0 failures" }
  }.freeze

  SUMMARIES.each do |framework, summary|
    test "#{framework}: a generation that is killed is an error of the test that ran" do
      outcome = ReforkSuite.run(framework, "endings", only: "KillTest")

      assert_equal 1, outcome.status.exitstatus
      assert_match(/the worker of generation 1 \(process \d+\) was killed by SIGKILL/, outcome.output)
      assert_includes outcome.output, summary[:lost]
      refute_includes outcome.output, "the third test ran"
    end

    test "#{framework}: exit in a test ends the suite as it does without reforks" do
      with, without = %w[1 0].map do |every|
        ReforkSuite.run(framework, "endings", only: "ExitTest", env: { "COPPICE_REFORK_EVERY" => every })
      end

      assert_equal without.status.exitstatus, with.status.exitstatus
      refute_predicate with.status, :success?
      refute_includes with.output, "the third test ran"
    end

    test "#{framework}: a process that a test forks may exit" do
      outcome = ReforkSuite.run(framework, "endings", only: "ForkTest")

      assert_predicate outcome.status, :success?, outcome.output
      assert_includes outcome.output, summary[:all]
    end

    test "#{framework}: a process that is no longer fork-safe runs the rest of the suite" do
      outcome = ReforkSuite.run(framework, "endings", only: "UnsafeTest")

      assert_predicate outcome.status, :success?, outcome.output
      assert_includes outcome.output, "no refork after generation 1: this process is not fork-safe " \
                                      "(no_longer_fork_safe! was called)"
      assert_equal 1, outcome.output.scan(/^coppice: the tests ran through 1 refork$/).size, outcome.output
      assert_includes outcome.output, summary[:all]
    end

    test "#{framework}: Ctrl-C ends every process, with a summary" do
      output = +""
      status = interrupt(framework, output) { |pid| Process.kill(:INT, -pid) }

      refute_predicate status, :success?
      assert_equal 1, output.scan(/^\d (?:runs|examples?), /).size, output
      refute_includes output, "the third test ran"
    end

    test "#{framework}: no process outlives the first one" do
      status = interrupt(framework, +"") { |pid| Process.kill(:KILL, pid) }

      assert_equal Signal.list.fetch("KILL"), status.termsig
    end
  end

  test "a failure that a refork does not cause says so, and --fail-fast ends the suite" do
    outcome = ReforkSuite.run(:rspec, "endings", "--fail-fast", only: "FailureTest")

    assert_equal 1, outcome.status.exitstatus
    assert_includes outcome.output, "failed in generation 1, after 1 refork; fails without a refork as well"
    assert_includes outcome.output, "2 examples, 1 failure"
    refute_includes outcome.output, "the third test ran"
  end

  test "an example with several failures has the verdict once" do
    outcome = ReforkSuite.run(:rspec, "endings", only: "SeveralTest")

    assert_includes outcome.output, "Got 2 failures"
    assert_equal 1, outcome.output.scan("failed in generation 1, after 1 refork; fails without a refork as well").size
  end

  test "an error in a context hook of a later generation is counted once" do
    outcome = ReforkSuite.run(:rspec, "endings", only: "ContextTest")

    assert_equal 1, outcome.status.exitstatus
    assert_includes outcome.output, "2 examples, 0 failures, 1 error occurred outside of examples"
    assert_equal 1, outcome.output.scan("An error occurred in an `after(:context)` hook.").size
  end

  test "a failure in a later generation that belongs to no test is reported, and nothing runs again" do
    outcome = ReforkSuite.run(:minitest, "endings", only: "HookTest", env: { "HOOK" => "1" })

    assert_equal 1, outcome.status.exitstatus
    assert_match(/^RuntimeError: no database\n(?: +.*\n)*failed in generation 1, after 1 refork\n/, outcome.output)
    assert_includes outcome.output, "3 runs, 2 assertions, 0 failures, 1 errors"
  end

  test "a test class may return anything" do
    outcome = ReforkSuite.run(:minitest, "endings", only: "AnswerTest", env: { "ANSWER" => "1" })

    assert_predicate outcome.status, :success?, outcome.output
    assert_includes outcome.output, "2 runs, 2 assertions, 0 failures, 0 errors"
  end

  test "an error after the last test is told as it is" do
    outcome = ReforkSuite.run(:minitest, "endings", only: "ForkTest", env: { "COVERAGE" => "1" })

    refute_predicate outcome.status, :success?
    assert_includes outcome.output, "no coverage (RuntimeError)"
    refute_includes outcome.output, "did not run"
  end

  test "tests in parallel threads are refused, unless there is one thread" do
    refused = ReforkSuite.run(:minitest, "endings", only: "parallel", env: { "PARALLEL" => "1", "MT_CPU" => "2" })
    alone = ReforkSuite.run(:minitest, "endings", only: "parallel", env: { "PARALLEL" => "1", "MT_CPU" => "1" })

    assert_equal 1, refused.status.exitstatus
    assert_match(/\Acoppice: the tests cannot run with reforks: ParallelTest runs its tests in parallel/,
      refused.output.lines.grep(/coppice/).join)
    assert_predicate alone.status, :success?, alone.output
    none = { "PARALLEL" => "1", "MT_CPU" => "2", "COPPICE_REFORK_EVERY" => "0" }
    assert_predicate ReforkSuite.run(:minitest, "endings", only: "parallel", env: none).status, :success?
  end

  test "a variable that is no number is refused" do
    outcome = ReforkSuite.run(:minitest, "healthy", env: { "COPPICE_REFORK_EVERY" => "often" })

    assert_equal 1, outcome.status.exitstatus
    assert_includes outcome.output, "COPPICE_REFORK_EVERY is not a number of 0 or more: \"often\""
  end

  private

  # Yields the pid of a suite while a test of generation 1 runs; answers the status when all its processes are gone.
  def interrupt(framework, output)
    ReforkSuite.open(framework, "endings", only: "HangTest") do |pid, reader|
      output << BoundedWait.readable(reader).readline until output.include?("in the test")
      yield pid
      output << BoundedWait.read(reader)
    end
  end
end
