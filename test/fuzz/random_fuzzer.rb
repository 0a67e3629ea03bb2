# frozen_string_literal: true

require_relative "../support/mutations"
require_relative "targets"

module Coppice
  # What can be done without libFuzzer: mutations of the seeds at random, in the program that the tests use, which knows
  # nothing of the code that an input reaches.
  class RandomFuzzer
    BATCH = 500
    private_constant :BATCH

    def initialize(target) #: (String) -> void
      @target = target
      @facts = FUZZ_TARGETS.fetch(target)
    end

    # Answers whether nothing was found.
    def run(seconds) #: (Integer) -> bool
      seed = Random.new_seed
      puts "seed #{seed}"
      count = feed(Mutations.new(seed), now + seconds)
      puts "fuzz #{@target}: #{count} inputs without libFuzzer, nothing found"
      true
    rescue ParserDriver::Failed, CProgram::Failed => error
      puts error.message, "fuzz #{@target}: FOUND something with seed #{seed}, see above"
      false
    end

    private

    # How many inputs there was time for.
    def feed(mutations, deadline)
      seeds = @facts[:seeds].call.select { |bytes| bytes.bytesize < 1000 }
      count = 0
      while now < deadline
        @facts[:try].call(mutations.of(seeds, BATCH))
        count += BATCH
      end
      count
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
