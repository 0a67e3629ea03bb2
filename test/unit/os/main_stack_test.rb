# frozen_string_literal: true

require "test_helper"
require "coppice/coppice_ext"

module Coppice
  class MainStackTest < TestCase
    DEPTH = 2000 # of 1 KiB each, as a rule
    DEPTH_OF_THREAD = 300

    test "what a deep recursion has left is given back, and the stack can be used again" do
      before = used_kib { recurse(DEPTH) }
      after = used_kib { OS.release_main_stack }

      assert_operator before, :>, after + 256
      assert_equal DEPTH, recurse(DEPTH)
      assert_operator used_kib, :>, after + 256
    end

    test "neither another thread nor a fiber gives it back" do
      before = used_kib { recurse(DEPTH) }
      after = used_kib do
        Thread.new { OS.release_main_stack }.join
        Fiber.new { OS.release_main_stack }.resume
      end

      assert_operator after, :>=, before
      assert_equal DEPTH_OF_THREAD, Thread.new { recurse(DEPTH_OF_THREAD).tap { OS.release_main_stack } }.value
    end

    private

    def setup
      super
      skip "only on Linux" unless OS.supervises?
    end

    # `catch` is a function of C.
    def recurse(depth) = depth.zero? ? 0 : catch { recurse(depth - 1) + 1 }

    def used_kib
      yield if block_given?
      Integer(File.read("/proc/self/smaps")[/ \[stack\]\n.*?^Rss: +(\d+)/m, 1])
    end
  end
end
