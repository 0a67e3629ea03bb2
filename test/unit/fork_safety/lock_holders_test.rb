# frozen_string_literal: true

require "monitor"
require "test_helper"
require "coppice/fork_safety/lock_holders"

module Coppice
  module ForkSafety
    class LockHoldersTest < TestCase
      FakeFrame = Struct.new(:base_label, :path, :absolute_path, :lineno) do
        def label = base_label
      end
      FakeThread = Struct.new(:name, :backtrace_locations) do
        def inspect = "#<Thread:0x0001 run>"
      end

      # A monitor that an object includes.
      class Included
        include MonitorMixin
      end

      # The file in which a gem makes its lock.
      def lock_of(gem) = "/x/gems/#{gem}-1.0/lock.rb"

      # A thread that has called this in a file. The block waits until it has.
      def thread_in(file, code, **locals)
        start = instance_eval("->(#{locals.keys.join(', ')}) { Thread.new { #{code} } }", file, 1)
        thread = start.call(*locals.values)
        (@threads ||= []) << thread
        yield thread
        thread
      end

      def holder(file, lock)
        code = "lock.synchronize { held << true; Thread.stop }"
        thread_in(file, code, lock: lock, held: held = Queue.new) { BoundedWait.pop(held) }
      end

      def waiter(file, code, **locks)
        thread_in(file, code, **locks) { |thread| BoundedWait.wait(60, "it does not wait") { thread.stop? } }
      end

      def teardown = @threads&.each { |thread| thread.kill.join }

      def fake(path = "/x/gems/a-1.0/fake.rb", name: nil)
        frames = [FakeFrame.new("stop", path, path, 2), FakeFrame.new("synchronize", nil, nil, 0),
                  FakeFrame.new("work", path, path, 7)]
        FakeThread.new(name, frames)
      end

      test "a thread in a lock of another gem is not named, and a gem's own thread in another file is" do
        thread = holder("/x/gems/a-1.0/thread.rb", Mutex.new)
        holders = LockHolders.new([thread])

        assert_equal "probably held by the thread a-1.0/thread.rb:1 (in a-1.0/thread.rb:1)",
          holders.of(lock_of("a"))
        assert_nil holders.of(lock_of("b"))
      end

      test "a thread that waits for a lock is not named, but for another one that it has" do
        [Mutex, ::Monitor, Included].each do |type|
          lock, other = type.new, type.new
          threads = [holder("/x/gems/a-1.0/holder.rb", lock),
                     waiter("/x/gems/a-1.0/waiter.rb", "lock.synchronize { nil }", lock: lock),
                     waiter("/x/gems/b-1.0/both.rb", "other.synchronize {\nlock.synchronize { nil } }",
                       other: other, lock: lock)]
          holders = LockHolders.new(threads)

          assert_match(/\Aprobably held by the thread \S+ \(in a-1\.0\/holder\.rb:1\)\z/, holders.of(lock_of("a")))
          assert_match(/\(in b-1\.0\/both\.rb:1\)\z/, holders.of(lock_of("b")))
        end
      end

      test "a thread that waits for a condition is not named for the lock that it has released, but for another one" do
        [[Mutex.new, ConditionVariable.new], [lock = ::Monitor.new, lock.new_cond]].each do |lock, condition|
          wait = condition.is_a?(ConditionVariable) ? "condition.wait(lock)" : "condition.wait"
          threads = [waiter("/x/gems/a-1.0/waiter.rb", "lock.synchronize { #{wait} }",
            lock: lock, condition: condition),
                     waiter("/x/gems/b-1.0/both.rb", "other.synchronize {\nlock.synchronize { #{wait} } }",
                       other: Mutex.new, lock: lock, condition: condition)]
          holders = LockHolders.new(threads)

          assert_nil holders.of(lock_of("a"))
          assert_match(/\(in b-1\.0\/both\.rb:1\)\z/, holders.of(lock_of("b")))
        end
      end

      test "a thread that sleeps in a method of its own called wait is named for the lock that it has" do
        skip "older versions of Ruby do not tell whose method it is" if RUBY_VERSION < "3.4"

        own = Class.new { def wait = sleep }.new
        holders = LockHolders.new([waiter("/x/gems/a-1.0/own.rb", "lock.synchronize { own.wait }",
          lock: Mutex.new, own: own)])

        assert_match(/\(in a-1\.0\/own\.rb:1\)\z/, holders.of(lock_of("a")))
      end

      test "at most three threads are named" do
        { 4 => "1 other", 6 => "3 others" }.each do |count, others|
          threads = Array.new(count) { |number| fake(name: "t#{number}") }
          place = "(in a-1.0/fake.rb:7)"

          assert_equal "probably held by the thread t0 #{place} or t1 #{place} or t2 #{place} and #{others}",
            LockHolders.new(threads).of(lock_of("a"))
        end
      end

      test "a thread without a name and a place is told by where it is" do
        assert_equal "probably held by the thread in a-1.0/fake.rb:7", LockHolders.new([fake]).of(lock_of("a"))
      end
    end
  end
end
