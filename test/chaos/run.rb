# frozen_string_literal: true

require "coppice/coppice_ext"
require_relative "life"
require_relative "plan"
require_relative "report"

module Chaos
  # Runs one life after the other until the time is over, or a rule is broken.
  class Run
    LOG_LINES = 60
    LAST_FAULTS = 12

    #: (seconds: Numeric, seed: Integer, workers: Integer) -> void
    def initialize(seconds:, seed:, workers:)
      @seconds = seconds
      @seed = seed
      @workers = workers
      @report = Report.new
    end

    # Returns whether every rule held.
    #: () -> bool
    def call
      puts "chaos: seed #{@seed}, #{@workers} workers, Ruby #{RUBY_VERSION}"
      Coppice::OS.become_subreaper # so that a lost monitor's children become children of this process
      plan = Plan.new(@seed)
      deadline = now + @seconds
      (0..).each { |number| break unless live(plan.life(number), number, deadline) && now < deadline }
      puts @report
      @broken.nil?
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def live(plan, number, deadline)
      life = Life.new(plan, workers: @workers)
      life.play(deadline)
      puts "life #{number}: #{@report.add(life)}"
      true
    rescue Broken => error
      @broken = error
      explain(error, life, number)
      false
    ensure
      life&.clean_up
    end

    def explain(error, life, number)
      puts "--- the end of the server's log ---", life.log.lines.last(LOG_LINES).map { |line| line[0, 300] }
      puts "--- the last faults of life #{number} ---", life.done.last(LAST_FAULTS)
      puts "BROKEN, with seed #{@seed}: #{error.message}"
    end
  end
end
