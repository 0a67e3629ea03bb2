# frozen_string_literal: true

# lane: soak -- runs whole suites of Minitest and RSpec

require "test_helper"
require_relative "../../support/refork_suite"

# Suites that parallel_tests and turbo_tests split into two runs: each run reforks by itself.
class TestReforksParallelTest < Coppice::TestCase
  TOOLS = {
    "parallel_test" => [:minitest, "test", /^12 assertions, 0 errors, 0 failures, 16 runs, 4 skips/],
    "parallel_rspec" => [:rspec, "spec", /^16 examples, 0 failures, 4 pending/],
    "turbo_tests" => [:rspec, "spec", /^16 examples, 0 failures, 4 pending/]
  }.freeze

  TOOLS.each do |tool, (framework, kind, summary)|
    test "#{tool}: both runs refork, and there is one sum" do
      outcome = run_split(tool, framework, kind, "healthy")

      assert_predicate outcome.status, :success?, outcome.output
      assert_equal 12, outcome.pids.uniq.size, outcome.output
      assert_match summary, outcome.output
    end

    test "#{tool}: what a refork breaks fails in both runs, with the verdict and without lines of Coppice" do
      only = framework == :minitest ? "-n /DeadThread/" : "-e DeadThread"
      outcome = run_split(tool, framework, kind, "unsafe", *(["--test-options", only] unless tool == "turbo_tests"),
        env: { "SPEC_OPTS" => ("-e DeadThread" if framework == :rspec) })

      assert_equal 1, outcome.status.exitstatus, outcome.output
      assert_equal 2, outcome.output.scan("passes without a refork: fork safety").size, outcome.output
      refute_includes outcome.output, "lib/coppice/tools/test_reforks"
    end
  end

  private

  # Two copies of one suite of test/test_reforks.
  def run_split(tool, framework, kind, suite, *arguments, env: {})
    with_tmpdir do |folder|
      Dir.mkdir(tests = File.join(folder, kind))
      FileUtils.cp("#{ReforkSuite::FOLDER}/libraries.rb", folder)
      %w[oak elm].each do |name|
        FileUtils.cp("#{ReforkSuite::FOLDER}/#{framework}/#{suite}.rb", "#{tests}/#{name}_#{kind}.rb")
      end
      ReforkSuite.run_program(["bundle", "exec", tool, "-n", "2", *arguments, kind], env: env, folder: folder)
    end
  end
end
