# frozen_string_literal: true

require "test_helper"
require "coppice/fork_safety/native_threads"

module Coppice
  module ForkSafety
    class NativeThreadsTest < TestCase
      test "a thread is found by the beginning of its name, as far as the kernel keeps it" do
        thread = Thread.new { Thread.stop }
        thread.name = "pool worker number 1"
        eventually { thread.stop? }

        assert(["pool", "pool worker num"].all? { |name| NativeThreads.any?(name) })
        refute(["worker", "pool worker number"].any? { |name| NativeThreads.any?(name) })
      ensure
        thread.kill.join
      end

      test "a thread that has ended has no name" do
        assert_nil NativeThreads.name_of(2**22)
      end
    end
  end
end
