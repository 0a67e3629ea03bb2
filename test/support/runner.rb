# frozen_string_literal: true

require "etc"
require_relative "arguments"
require_relative "batches"
require_relative "lane"
require_relative "locked_gems"
require_relative "preloader"
require_relative "stall_meter"
require_relative "test_process"
require_relative "test_report"

module Coppice
  # Runs test files side by side in random order, some of them in one process (Batches), then those of the quiet lane
  # one by one. Files whose process failed run once more, each alone and with the same seed: if they pass now they were
  # unsteady, which is reported and no failure, unless there are more than three such processes, or one left something
  # behind, warned or crashed. Of these only files that shared a process run once more, which tells the file.
  class Runner
    ROOT = File.expand_path("../..", __dir__)

    # Seconds that a process may take, by the lane of its files: several times what it takes beside busy loops.
    LIMITS = { side_by_side: 300, quiet: 300, soak: 1200 }.freeze

    SLOWNESS = [Float(ENV.fetch("COPPICE_PATIENCE", 1)), 1].max # by which tests wait longer for each step
    MAX_UNSTEADY = 3 # processes

    # Runs what a command line names; exits with status 0 when every test passed. Options as for `new`.
    def self.run(words, **options) #: (Array[String], **untyped) -> bot
      $stdout.sync = true
      # A shell starts background jobs with INT ignored, nohup its command with HUP, and child processes inherit that.
      # Tests send both signals to servers.
      %w[INT HUP].each { |name| trap(name, "DEFAULT") }
      arguments = Arguments.new(words, root: ROOT)
      LockedGems.hand_on
      exit new(arguments, **options).run
    rescue ArgumentError => e
      abort "bin/test: #{e.message}"
    rescue Interrupt
      exit 130
    end

    # limit: seconds for each process, in the place of LIMITS.
    #: (Arguments, ?out: IO, ?folder: String, ?limit: Numeric?, ?jobs: Integer) -> void
    def initialize(arguments, out: $stdout, folder: ROOT, limit: nil, jobs: Etc.nprocessors + 1)
      @arguments = arguments
      @folder = folder
      @limit = limit
      @jobs = jobs
      @report = TestReport.new(out, folder)
    end

    # Returns whether every test passed.
    def run #: () -> bool
      @meter = StallMeter.new
      @preloader = Preloader.new(@folder)
      rounds = Array.new(@arguments.times || 1) { |number| run_round(@arguments.seed + number) }
      @report.conclude(rounds.flat_map(&:first), rounds.flat_map(&:last))
      rounds.all? { |results, unsteady| passed?(results, unsteady) }
    ensure
      @preloader&.close
      @meter&.stop
    end

    private

    # Returns the results that count, and the first ones of the files that passed when they ran again.
    def run_round(seed)
      @report.begin(seed)
      results = run_all(@arguments.files.sort.shuffle(random: Random.new(seed)), seed)
      @arguments.times ? [results, []] : run_again(results, seed)
    end

    def run_all(files, seed)
      quiet, others = files.partition { |file| Lane.of(file) == :quiet }
      run_with(@jobs, @arguments.alone? ? each_alone(others) : Batches.of(others), seed) +
        run_with(1, each_alone(quiet), seed)
    end

    def each_alone(files) = files.map { |file| [file] }

    def run_with(jobs, batches, seed)
      queue = batches.each_with_object(Queue.new) { |files, waiting| waiting << files }.close
      threads = Array.new(jobs) { Thread.new { run_from(queue, seed) } }
      threads.flat_map(&:value)
    ensure
      threads&.each(&:kill)&.each(&:join) # after an interrupt: each ends the processes of its file
    end

    def run_from(queue, seed)
      results = []
      while (files = queue.pop)
        results << run_files(files, seed)
        @report.file(results.last, @meter.longest_since(results.last.began))
      end
      results
    end

    # The results of a second run count, unless it excuses nothing: it only tells which file of several it was.
    def run_again(results, seed)
      again = results.select { |result| result.unsteady? || (result.failed? && result.paths.size > 1) }
      @report.again(again)
      second = run_with(1, each_alone(again.flat_map(&:paths)), seed)
      unsteady, lasting = again.partition(&:unsteady?)
      unsteady.select! { |result| of(result, second).none?(&:failed?) }
      lasting.select! { |result| of(result, second).none? { |alone| alone.failed? && !alone.unsteady? } }
      replaced = second - lasting.flat_map { |result| of(result, second) }
      lasting.each { |result| result.problem = [result.problem, "none of the files does so alone"].compact.join("; ") }
      [results - again + lasting + replaced, unsteady]
    end

    def of(result, second) = second.select { |alone| (alone.paths & result.paths).any? }

    def run_files(files, seed)
      environment = @arguments.environment
      limit = @limit || (LIMITS.fetch(environment.empty? ? Lane.of(files.first) : :soak) * SLOWNESS)
      options = @arguments.options + ["--seed", seed.to_s]
      check(TestProcess.new(files, preloader: @preloader, options: options, limit: limit, environment: environment).run)
    end

    # Files without any test fail, unless a filter left them out.
    def check(result)
      if result.passed + result.failed + result.skipped == 0 && !@arguments.filtered?
        result.failed = 1
        result.problem = "holds no test"
      end
      result
    end

    def passed?(results, unsteady)
      results.none?(&:failed?) && results.sum(&:passed).positive? && unsteady.size <= MAX_UNSTEADY
    end
  end
end

Coppice::Runner.run(ARGV) if $PROGRAM_NAME == __FILE__
