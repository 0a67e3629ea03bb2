# frozen_string_literal: true

require "test_helper"
require "coppice/os/fork_lock"

module Coppice
  module OS
    class ForkLockTest < TestCase
      FAR = Clock.now + 3600

      def setup
        @lock = ForkLock.new
        @held, @release = Thread::Queue.new, Thread::Queue.new
      end

      # Yields while a thread prevents forks.
      def prevented
        thread = Thread.new { @lock.synchronize { (@held << true) && @release.pop } }
        @held.pop
        yield
      ensure
        @release << true
        BoundedWait.value_of(thread)
      end

      test "a fork waits for a thread that prevents it" do
        order = Thread::Queue.new
        prevented do
          Thread.new do
            Thread.pass until Thread.main.stop?
            order << :released
            @release << true
          end
          @lock.synchronize_until(FAR) { order << :forked }
        end

        assert_equal [:released, :forked], [order.pop, order.pop]
      end

      test "a fork that has waited for its time is given up" do
        prevented { assert_nil(@lock.synchronize_until(Clock.now) { flunk }) }

        assert_equal(:forked, @lock.synchronize_until(Clock.now) { :forked })
      end

      test "a fork that waits comes before further threads" do
        order = Thread::Queue.new
        late = nil
        prevented do
          forking = Thread.new { @lock.synchronize_until(FAR) { order << :forked } }
          eventually { forking.status == "sleep" }
          late = Thread.new { @lock.synchronize { order << :late } }
          eventually { late.status == "sleep" }
          @release << true
          BoundedWait.value_of(forking)
        end
        BoundedWait.value_of(late)

        assert_equal [:forked, :late], [order.pop, order.pop]
      end

      test "a thread that prevents forks may do so again inside, also when a fork waits" do
        forking = nil
        inner = @lock.synchronize do
          forking = Thread.new { @lock.synchronize_until(FAR) { :forked } }
          eventually { forking.status == "sleep" }
          @lock.synchronize { :inner }
        end

        assert_equal [:inner, :forked], [inner, BoundedWait.value_of(forking)]
      end
    end
  end
end
