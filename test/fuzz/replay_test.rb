# frozen_string_literal: true

require "test_helper"
require_relative "fuzzer"

module Coppice
  # What `bin/fuzz` has learned, and mutations of it, the same ones in each run.
  class ReplayTest < TestCase
    # Mutations by target: what a few seconds are enough for.
    RUNS = Hash.new(50_000).merge("lobby" => 300).freeze

    FUZZ_TARGETS.each_key do |target|
      test "the #{target} survives its seeds, its corpus and mutations of them" do
        assert_match(/\A#{RUNS[target]} mutations of [1-9]\d* inputs/, Fuzzer.new(target).replay(RUNS[target]))
      end
    end
  end
end
