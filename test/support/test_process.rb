# frozen_string_literal: true

require "io/wait"
require "tempfile"
require_relative "test_result"

module Coppice
  # A process that runs one test file, or several, with all warnings on and the gems of the Gemfile, below a reaper that
  # ends all that they have started.
  class TestProcess
    SUMMARY = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips/

    # `limit` is the seconds after which it is ended.
    #: (Array[String], preloader: Preloader, options: Array[String], limit: Numeric, environment: Hash[String, String])
    #    -> void
    def initialize(paths, preloader:, options:, limit:, environment:)
      @preloader = preloader
      @environment = environment
      @paths = paths
      @options = options
      @limit = limit
    end

    # Runs it until it exits. Kills its processes too when the caller's thread is killed.
    def run #: () -> TestResult
      started = monotonic_now
      Tempfile.create("coppice-test-output-") do |output|
        report = wait_for(*@preloader.start(@paths, @options, environment: @environment, output: output.path))
        output.rewind
        result(report, output.read.scrub, started)
      end
    end

    private

    # The exit status, -1 where the reaper was killed, and the seconds of the processors; nil when time was up.
    def wait_for(reaper, reader)
      ended = reader.wait_readable(@limit) or return
      status, processor = reader.read.split
      [Integer(status || -1), Float(processor || 0)]
    ensure
      interrupt(reaper) unless ended
      reader.read
      reader.close
    end

    # No process that the files started may outlive it: the reaper sees to that.
    def interrupt(pid)
      Process.kill(:TERM, pid)
    rescue Errno::ESRCH
      nil # it has exited
    end

    def result(report, output, started)
      status, processor = report
      runs, failures, errors, skips = output.scan(SUMMARY).last&.map(&:to_i)
      failed = runs ? failures + errors : 1
      problem = problem_of(status, runs, failed)
      failed = 1 if problem && failed.zero?
      passed = runs ? [runs - failed - skips, 0].max : 0
      TestResult.new(paths: @paths, passed: passed, failed: failed, skipped: skips || 0, problem: problem,
        output: output, began: started, seconds: monotonic_now - started, processor: processor || 0.0,
        hung: status.nil?)
    end

    def problem_of(status, runs, failed)
      return "took longer than #{@limit} s and was killed" unless status
      return "exited without a summary (status #{status})" unless runs

      # A filter that matches none of a file's tests makes Minitest fail, too.
      "all tests passed, but the process exited with status #{status}" if failed.zero? && runs.positive? && status != 0
    end

    def monotonic_now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
