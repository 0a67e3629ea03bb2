# frozen_string_literal: true

require "rbconfig"
require "tempfile"
require_relative "test_result"

module Coppice
  # One test file, run with all warnings on and the gems of the Gemfile, below a reaper that ends all that the file has
  # started.
  class TestFile
    REAPER = File.expand_path("reaper.rb", __dir__)
    SUMMARY = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips/

    # `limit` is the seconds after which it is ended; `folder` the project's.
    #: (String, options: Array[String], limit: Numeric, folder: String, ?environment: Hash[String, String]) -> void
    def initialize(path, options:, limit:, folder:, environment: {})
      @environment = environment
      @path = path
      @options = options
      @limit = limit
      @folder = folder
    end

    # Runs it until it exits. Kills its processes too when the caller's thread is killed.
    def run #: () -> TestResult
      started = monotonic_now
      Tempfile.create("coppice-test-output-") do |output|
        status = wait_for(start(output))
        output.rewind
        result(status, output.read.scrub, started)
      end
    end

    private

    def start(output)
      Process.spawn(@environment, *reaper, RbConfig.ruby, "-w", "-Ilib", "-Itest", @path, *@options,
        chdir: @folder, in: File::NULL, out: output, err: output, pgroup: true)
    end

    # Only Linux has what it needs.
    def reaper = RUBY_PLATFORM.include?("linux") ? [RbConfig.ruby, "--disable=gems,rubyopt", REAPER] : []

    # The exit status, or nil when time was up.
    def wait_for(pid)
      waiter = Process.detach(pid)
      waiter.join(@limit)&.value
    ensure
      interrupt(pid) if waiter.alive?
      waiter.join
    end

    # No process that a test file started may outlive it: the reaper sees to that.
    def interrupt(pid)
      Process.kill(:TERM, pid)
    rescue Errno::ESRCH
      nil # it has exited
    end

    def result(status, output, started)
      runs, failures, errors, skips = output.scan(SUMMARY).last&.map(&:to_i)
      failed = runs ? failures + errors : 1
      problem = problem_of(status, runs, failed)
      failed = 1 if problem && failed.zero?
      passed = runs ? [runs - failed - skips, 0].max : 0
      TestResult.new(path: @path, passed: passed, failed: failed, skipped: skips || 0, problem: problem, output: output,
        began: started, seconds: monotonic_now - started, hung: status.nil?)
    end

    def problem_of(status, runs, failed)
      return "took longer than #{@limit} s and was killed" unless status
      return "exited without a summary (#{status})" unless runs

      # A filter that matches none of a file's tests makes Minitest fail, too.
      "all tests passed, but the file exited with #{status}" if failed.zero? && runs.positive? && !status.success?
    end

    def monotonic_now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
