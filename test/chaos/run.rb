# frozen_string_literal: true

require "coppice/coppice_ext"
require_relative "life"
require_relative "plan"
require_relative "report"

module Chaos
  # Runs one life after the other until the time is over, the given number of lives is reached, or a rule is broken.
  class Run
    LOG_LINES = 60
    LAST_FAULTS = 12

    # seconds: until no new burst of faults begins; nil with lives, of which each has all its rounds.
    #: (seconds: Numeric?, seed: Integer, workers: Integer, ?lives: Integer?, ?rounds: Integer) -> void
    def initialize(seconds:, seed:, workers:, lives: nil, rounds: Plan::ROUNDS)
      @seconds = seconds || Float::INFINITY
      @lives = lives || Float::INFINITY
      @plan = Plan.new(seed, rounds: rounds)
      @seed = seed
      @workers = workers
    end

    # Returns whether every rule held. A run of a fixed number of lives is repeated once: a rule that broke only because
    # the machine was busy then holds.
    #: () -> bool
    def call
      puts "chaos: seed #{@seed}, #{@workers} workers, Ruby #{RUBY_VERSION}"
      Coppice::OS.become_subreaper # so that a lost monitor's children become children of this process
      return true if play
      return false if @lives == Float::INFINITY

      puts "chaos: once more, with the same seed"
      reap_leftovers
      play.tap { |held| puts "chaos: UNSTEADY, seed #{@seed} broke a rule the first time" if held }
    end

    private

    # Whether every rule held.
    def play
      @report = Report.new
      deadline = now + @seconds
      held = true
      (0...@lives).each do |number|
        held = live(@plan.life(number), number, deadline)
        break if !held || now > deadline
      end
      puts @report if held
      held
    end

    # Processes that outlived the server of a broken life are our children: of a subreaper.
    def reap_leftovers
      ChildProcesses.of("self").each do |pid|
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def live(plan, number, deadline)
      life = Life.new(plan, workers: @workers)
      life.play(deadline)
      puts "life #{number}: #{@report.add(life)}"
      true
    rescue Broken => error
      explain(error, life, number)
      false
    ensure
      life&.clean_up
    end

    def explain(error, life, number)
      puts @report
      puts "--- the end of the server's log ---", life.log.lines.last(LOG_LINES).map { |line| line[0, 300] }
      puts "--- the last faults of life #{number} ---", life.done.last(LAST_FAULTS)
      puts "BROKEN, with seed #{@seed}: #{error.message}"
    end
  end
end
