# frozen_string_literal: true

require "test_helper"
require "coppice/coppice_ext"

module Coppice
  class FreeMemoryTest < TestCase
    BLOCKS = 20_000
    BYTES = 4000 # more than an object holds itself, and less than what malloc maps for itself

    test "what is free below a block that is in use goes back to the kernel" do
      blocks = Array.new(BLOCKS) { "x" * BYTES }
      last = "x" * BYTES
      blocks.each(&:clear)
      before = resident_kib
      OS.release_free_memory

      assert_operator resident_kib, :<, before - (BLOCKS * BYTES / 1024 / 2)
      assert_equal BYTES, last.size
    end

    private

    def setup
      super
      skip "only on Linux" unless OS.supervises?
    end

    def resident_kib = Integer(File.read("/proc/self/smaps_rollup")[/^Rss: +(\d+)/, 1])
  end
end
