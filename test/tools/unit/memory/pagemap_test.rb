# frozen_string_literal: true

require "test_helper"
require "coppice/tools/memory/pagemap"
require "coppice/memory/smaps"

module Coppice
  module Memory
    class PagemapTest < TestCase
      test "the highest bits of an entry tell a page's state" do
        entries = [0, 1 << 63, (1 << 63) | (1 << 56) | 0x1234, (1 << 63) | (1 << 61), 1 << 62, 1 << 55]
        assert_equal [:absent, :shared, :private, :shared, :swapped, :absent], Pagemap.states(entries.pack("Q<*"))
      end

      test "no entries are no pages" do
        assert_empty Pagemap.states("")
      end

      test "one's own stack is present and private" do
        stack = Smaps.of("self").find { |mapping| mapping.name == "[stack]" }
        pages = Pagemap.open(Process.pid) { |states| states.call(stack) }
        assert_equal stack.kib * 1024 / Pagemap::PAGE_BYTES, pages.size
        assert_includes pages, :private
      end
    end
  end
end
