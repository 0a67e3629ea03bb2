# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  module TestReforks
    # Says whether a refork is to blame for a failure in a later generation: the first process, which has its threads
    # and connections, runs the test once more.
    class Verdict
      UNSAFE = "passes without a refork: fork safety"
      GRACE = 5 # seconds that an interrupted test may take to return
      BROKEN = "fails without a refork as well"

      class Overdue < StandardError; end

      # Extends the exception of a failed test. The note ends its message, so each reporter prints it with the failure.
      module Note
        attr_accessor :coppice_note

        def message = "#{super}\n#{coppice_note}"

        # RSpec prints copies of the failures of an example that has several.
        def dup = super.extend(Note)
      end

      # timeout: seconds that the test may take. shared: the connections that the generation shares with the one before.
      #: (MinitestSuite | RSpecSuite, Integer, Integer, Array[String]?) -> void
      def initialize(suite, generation, timeout, shared)
        @suite = suite
        @number = generation
        @timeout = timeout
        @shared = shared || []
      end

      # Where the test has failed.
      #: () -> String
      def generation = "failed in generation #{@number}, after #{@number} refork#{'s' if @number > 1}"

      # Runs the test, and returns the text that belongs to its failure. A shared connection may have been damaged for
      # this process too, by the other one.
      #: (untyped) -> String
      def note(test)
        passes = passes?(test)
        found = passes ? UNSAFE : BROKEN
        return "#{generation}; #{found}" if @shared.empty?

        "#{generation}; #{found}\n#{passes ? 'It' : 'The cause may be that it'} shares a connection with the process " \
          "that it was forked from: #{@shared.join(', ')}"
      end

      # Puts that text into the message of the exceptions. Without a test, as when something fails that runs before all
      # tests of a class, there is nothing to run again.
      #: (untyped, Array[Exception]) -> void
      def annotate(test, errors)
        text = test ? note(test) : generation
        errors.each do |error|
          error.extend(Note)
          error.coppice_note = text
        end
      end

      private

      # A test that hangs here as well is interrupted.
      def passes?(test)
        done = Queue.new
        main = Thread.current
        watchdog = Thread.new { interrupt(main, done, test) unless done?(done, @timeout) }
        @suite.passes_here?(test)
      rescue SystemExit, Overdue
        false
      ensure
        done << true
        watchdog.join
      end

      # Not Queue#pop(timeout:), which Ruby 3.1 does not have.
      def done?(queue, seconds)
        deadline = OS::Clock.now + seconds
        Kernel.sleep(0.01) while queue.empty? && OS::Clock.now < deadline
        !queue.empty?
      end

      # One that hangs in native code ends the run.
      def interrupt(main, done, test)
        main.raise(Overdue)
        return if done?(done, GRACE)

        warn "coppice: #{test} #{generation}, and takes longer than #{@timeout} s without a refork as well"
        exit!(1)
      end
    end
  end
end
