# frozen_string_literal: true

require "test_helper"
require "support/test_result"

module Coppice
  class TestResultTest < TestCase
    FAILED = <<~TEXT
      --- the server's log (/tmp/x/log)
      msg="all workers ready"
      ---
      F

        1) Failure:
      MixedTest#test_a sentence [mixed_test.rb:4]:
      Expected: 1
        Actual: 2

      1 runs, 1 assertions, 1 failures, 0 errors, 0 skips
    TEXT

    def result(output = FAILED, **values)
      TestResult.new(passed: 0, failed: 1, skipped: 0, output: output, seconds: 1.0, hung: false, **values)
    end

    test "a failed test may have been unsteady, and a file that hung" do
      assert_predicate result, :unsteady?
      assert_predicate result(problem: "took longer than 4 s and was killed", hung: true), :unsteady?
      refute_predicate result(failed: 0), :unsteady?
    end

    test "a leak, a warning, a crash, a sanitizer's finding and a branch that cannot be reached are not" do
      ["LEAK: this file leaves descriptor 9", "Coppice::StrictWarnings::Warned: unused variable",
       "[BUG] Segmentation fault", "==1==ERROR: AddressSanitizer: heap-use-after-free",
       "x.c:1: runtime error: overflow", 'error="Coppice::Bug: a mold got nil"'].each do |line|
        refute_predicate result("#{FAILED}#{line}\n"), :unsteady?, line
      end
      refute_predicate result(problem: "exited without a summary (SIGSEGV)"), :unsteady?
      refute_predicate result(problem: "holds no test"), :unsteady?
    end

    test "an excerpt has each failure and the beginning of the server's log" do
      failure = ["MixedTest#test_a sentence [mixed_test.rb:4]:", "Expected: 1", "  Actual: 2"]
      assert_equal [*failure, 'msg="all workers ready"'], result.excerpt
    end

    test "without a failed test an excerpt has the end of the output" do
      assert_equal %w[8 9], result((1..9).to_a.join("\n")).excerpt(lines: 2)
    end
  end
end
