# frozen_string_literal: true

require "etc"
require_relative "arguments"
require_relative "test_file"

module Coppice
  # Runs test files side by side in random order, prints a line for each, then the whole output of each that failed.
  # The last line counts the tests and names those that failed.
  class Runner
    ROOT = File.expand_path("../..", __dir__)

    # Seconds that one file may take. The longest ones take more than 350 on a machine with ten times more work than it
    # has cores.
    LIMIT = 1200

    # Runs what a command line names; exits with status 0 when every test passed. Options as for `new`.
    def self.run(words, **options) #: (Array[String], **untyped) -> bot
      $stdout.sync = true
      # A shell starts background jobs with INT ignored, nohup its command with HUP, and child processes inherit that.
      # Tests send both signals to servers.
      %w[INT HUP].each { |name| trap(name, "DEFAULT") }
      exit new(Arguments.new(words, root: ROOT), **options).run
    rescue ArgumentError => e
      abort "bin/test: #{e.message}"
    rescue Interrupt
      exit 130
    end

    # first_limit: the seconds of a file's first run, where it may run once more, for `limit` seconds, after it hung.
    def initialize(arguments, out: $stdout, folder: ROOT, limit: LIMIT, first_limit: limit, jobs: Etc.nprocessors)
      @arguments = arguments
      @out = out
      @folder = folder
      @first_limit = first_limit
      @limit = limit
      @jobs = jobs
    end

    # Answers whether every test passed.
    def run #: () -> bool
      @out.puts "seed #{@arguments.seed}"
      results = run_all(@arguments.files.sort.shuffle(random: Random.new(@arguments.seed)))
      results.select(&:failed?).each { |result| print_failure(result) }
      print_sum(results)
      results.none?(&:failed?) && results.sum(&:passed).positive?
    end

    private

    def run_all(files)
      queue = files.each_with_object(Queue.new) { |file, waiting| waiting << file }.close
      threads = Array.new(@jobs) { Thread.new { run_from(queue) } }
      threads.flat_map(&:value)
    ensure
      threads&.each(&:kill)&.each(&:join) # after an interrupt: each ends the processes of its file
    end

    def run_from(queue)
      results = []
      while (file = queue.pop)
        results << check(run_file(file))
        print_line(results.last)
      end
      results
    end

    def run_file(file)
      result = run_within(@first_limit, file)
      return result unless result.hung && @first_limit < @limit

      @out.puts "#{name(result)}: #{result.problem}; once more"
      run_within(@limit, file)
    end

    def run_within(limit, file) = TestFile.new(file, options: options, limit: limit, folder: @folder).run

    def options
      @arguments.options + ["--seed", @arguments.seed.to_s]
    end

    # A file without any test fails, unless a filter left them out.
    def check(result)
      if result.passed + result.failed + result.skipped == 0 && !@arguments.filtered?
        result.failed = 1
        result.problem = "holds no test"
      end
      result
    end

    def print_line(result)
      counts = "#{result.passed} passed"
      counts += ", #{result.failed} FAILED" if result.failed?
      counts += ", #{result.skipped} skipped" if result.skipped.positive?
      @out.write format("%<seconds>6.1f s  %<name>s: %<counts>s\n",
        seconds: result.seconds, name: name(result), counts: counts)
    end

    def print_failure(result)
      @out.puts "", "== #{name(result)}#{": #{result.problem}" if result.problem}", result.output
    end

    # On one line, because whoever runs this may show the last one only.
    def print_sum(results)
      failed = results.select(&:failed?)
      @out.puts "" if failed.any?
      counts = "#{results.sum(&:passed)} passed, #{results.sum(&:failed)} failed, #{results.sum(&:skipped)} skipped"
      @out.puts [counts, *failed.map { |result| "#{name(result)} (#{what_failed(result)})" }].join("; ")
    end

    def what_failed(result) = [result.problem, *result.failed_tests].compact.join(", ")

    def name(result)
      result.path.delete_prefix("#{@folder}/")
    end
  end
end

Coppice::Runner.run(ARGV) if $PROGRAM_NAME == __FILE__
