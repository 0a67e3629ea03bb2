# frozen_string_literal: true

require "test_helper"
require "coppice/memory/smaps"
require_relative "../../support/recorded_memory"

module Coppice
  module Memory
    class RollupTest < TestCase
      EXPECTED = {
        "ruby-3.1" => { rss: 201_688, pss: 71_283, shared: 200_936, private: 752, anonymous: 197_672, swap: 0 },
        "ruby-3.4-yjit" => { rss: 203_936, pss: 109_845, shared: 139_020, private: 64_916, anonymous: 198_848, swap: 0 }
      }.freeze

      test "of recorded workers" do
        assert_equal EXPECTED,
          RecordedMemory::NAMES.to_h { |name| [name, Rollup.parse(RecordedMemory.text(name, "smaps_rollup")).to_h] }
      end

      test "a size that the kernel does not report is zero" do
        assert_equal [4, 0, 0], Rollup.parse("Rss:                   4 kB\n").to_h.values_at(:rss, :pss, :swap)
      end

      test "rollups add up" do
        one = Rollup.parse("Rss: 4 kB\nShared_Clean: 1 kB\nShared_Dirty: 2 kB\n")
        assert_equal [8, 6, 0], Rollup.sum([one, one]).to_h.values_at(:rss, :shared, :private)
        assert_equal 0, Rollup.sum([]).rss
      end
    end
  end
end
