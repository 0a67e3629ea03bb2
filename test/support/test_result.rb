# frozen_string_literal: true

module Coppice
  # How a process ended that ran one test file or several. `problem` says what went wrong beside failed tests, `output`
  # is all that was printed, `began` a time of the monotonic clock, `processor` the seconds of the processors that all
  # of it took, `hung` whether it was killed for its time.
  TestResult = Struct.new(:paths, :passed, :failed, :skipped, :problem, :output, :began, :seconds, :processor, :hung,
    keyword_init: true)

  class TestResult
    FAILURE = /^ +\d+\) (?:Failure|Error):\n\S+?#(?:test_)?(.+?)(?: \[\S+:\d+\])?:$/

    # What no second run excuses: something left behind, a warning, a crash, a finding of a sanitizer, a branch that
    # cannot be reached.
    LASTING = /^LEAK: |StrictWarnings::Warned|\[BUG\]|Coppice::Bug|AddressSanitizer|runtime error:/

    LOG = /^--- the server's log.*?\n(?<lines>.*?)^---$/m # what Server#show_log prints

    def failed? = failed.positive? #: () -> bool

    # The sentences of the tests that failed.
    def failed_tests = output.scan(FAILURE).flatten.uniq #: () -> Array[String]

    # Whether a second run may show that the machine, and not the code, made it fail.
    def unsteady? = failed? && (hung || (problem.nil? && !output.match?(LASTING))) #: () -> bool

    # The most telling lines: each failed test with its message, then the beginning of the server's log; where no test
    # failed, the end of the output.
    def excerpt(lines: 12) #: (?lines: Integer) -> Array[String]
      failures = output.scan(/^ +\d+\) (?:Failure|Error):\n(?:.+\n)+/).map { |text| text.lines(chomp: true).drop(1) }
      return output.lines(chomp: true).last(lines) if failures.empty?

      log = output[LOG, :lines].to_s.lines(chomp: true)
      [*failures.flat_map { |failure| failure.first(lines / 2) }.first(lines), *log.first(lines)]
    end
  end
end
