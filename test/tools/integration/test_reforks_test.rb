# frozen_string_literal: true

# lane: soak -- runs whole suites of Minitest and RSpec

require "test_helper"
require_relative "../../support/refork_suite"

# Suites of Minitest and RSpec that run through reforks: test/test_reforks.
class TestReforksTest < Coppice::TestCase
  SUMMARIES = {
    minitest: { healthy: "8 runs, 6 assertions, 0 failures, 0 errors, 2 skips",
                lost: "2 runs, 1 assertions, 0 failures, 1 errors", all: "3 runs" },
    rspec: { healthy: "8 examples, 0 failures, 2 pending",
             lost: "2 examples, 1 failure", all: "3 examples, 0 failures" }
  }.freeze
  PASSES = "failed in generation 1, after 1 refork; passes without a refork: fork safety"

  SUMMARIES.each do |framework, summary|
    test "#{framework}: a healthy suite passes with a refork between any two tests, and prints one summary" do
      outcome = ReforkSuite.run(framework, "healthy")

      assert_predicate outcome.status, :success?, outcome.output
      assert_equal 1, outcome.output.scan(summary[:healthy]).size, outcome.output
      assert_equal 6, outcome.pids.uniq.size, outcome.output
      assert_equal 1, outcome.output.scan("coppice: the tests ran through 7 reforks\n").size, outcome.output
      assert_equal 1, outcome.output.scan("after run in ").size
      assert_equal outcome.output[/loaded by (\d+)/, 1], outcome.output[/after run in (\d+)/, 1]
    end

    test "#{framework}: a generation has as many tests as asked for, and 0 means no refork" do
      sizes = %w[0 3].to_h do |every|
        [every, ReforkSuite.run(framework, "healthy", env: { "COPPICE_REFORK_EVERY" => every }).pids.uniq.size]
      end

      assert_equal({ "0" => 1, "3" => 3 }, sizes)
    end

    test "#{framework}: a suite without a refork says so below its summary" do
      outcome = ReforkSuite.run(framework, "healthy", env: { "COPPICE_REFORK_EVERY" => "50" })

      remark = /^coppice: there was no refork, .* \(8 tests ran, and COPPICE_REFORK_EVERY is 50\)$/
      assert_match(/#{summary[:healthy]}.*#{remark}/m, outcome.output)
    end

    test "#{framework}: filters and seeds choose the same tests in the same order as without reforks" do
      seeded = framework == :minitest ? %w[-v --seed 7] : %w[-fd --seed 7]
      with, without = %w[1 0].map do |every|
        ReforkSuite.run(framework, "healthy", *seeded, env: { "COPPICE_REFORK_EVERY" => every }).output
                   .scan(/(?:Test#test_| +|^)(root|stem|leaf|skipped|Oak|Elm)/)
      end

      assert_equal without, with
      assert_operator with.size, :>=, 8
      assert_includes ReforkSuite.run(framework, "endings", only: "ForkTest").output, summary[:all]
    end

    test "#{framework}: random data repeats with the seed, also for a test that runs once more" do
      outputs = [7, 7, 8].map { |seed| ReforkSuite.run(framework, "random", "--seed", seed.to_s).output }
      drawn, again, others = outputs.map { |output| output.scan(/^\W*(?:drawn|failed with) (\d+)$/).flatten }

      assert_equal [drawn, 4, drawn.last], [again, drawn.size, drawn[2]], outputs.first
      assert_empty drawn & others
      assert_includes outputs.first, "fails without a refork as well"
    end

    %w[DeadThread CopiedFlag].each do |name|
      test "#{framework}: #{name} fails after the refork only, and the message says so" do
        outcome = ReforkSuite.run(framework, "unsafe", only: name)

        assert_equal 1, outcome.status.exitstatus
        assert_equal 1, outcome.output.scan(PASSES).size, outcome.output
      end
    end

    test "#{framework}: a shared connection is named" do
      outcome = ReforkSuite.run(framework, "unsafe", only: "SharedConnection")

      assert_equal 1, outcome.status.exitstatus
      assert_match(/^ *failed in generation 1,.*\n.*shares a connection with the process .*: tcp 127\.0\.0\.1:\d+ \(/,
        outcome.output)
    end

    test "#{framework}: a connection that is shared on purpose is not" do
      outcome = ReforkSuite.run(framework, "unsafe", only: "KeptConnection")

      assert_predicate outcome.status, :success?, outcome.output
      refute_includes outcome.output, "connection shared"
    end

    test "#{framework}: a test that waits for a native lock of a dead thread is killed, and named" do
      outcome = ReforkSuite.run(framework, "unsafe", only: "NativeLock", env: { "COPPICE_REFORK_TIMEOUT" => "8" })

      assert_equal 1, outcome.status.exitstatus
      assert_includes outcome.output, "was killed, because it made no progress for 8 s"
      assert_includes outcome.output, PASSES
      assert_includes outcome.output, summary[:lost]
    end
  end
end
