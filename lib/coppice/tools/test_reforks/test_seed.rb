# frozen_string_literal: true

require "zlib"

module Coppice
  module TestReforks
    # Seeds `rand` for one test of a later generation. Ruby seeds it anew in each fork, so the data of a suite would not
    # repeat with its seed, and a test that runs once more in the first process would get other data than the one that
    # failed.
    module TestSeed
      # seed: of the suite. test: what names it, the same in each run.
      #: (Integer, String) -> void
      def self.plant(seed, test) = srand(Zlib.crc32("#{seed} #{test}"))
    end
  end
end
