# frozen_string_literal: true

require "test_helper"
require "coppice/os/loading_threads"

module Coppice
  module OS
    class LoadingThreadsTest < TestCase
      class << self
        attr_reader :begun, :continue
        attr_accessor :loaded
      end

      FILE = <<~RUBY
        Coppice::OS::LoadingThreadsTest.begun.push(true)
        Coppice::OS::LoadingThreadsTest.continue.pop
        Coppice::OS::LoadingThreadsTest.loaded = true
      RUBY

      def setup
        self.class.instance_variable_set(:@begun, Thread::Queue.new)
        self.class.instance_variable_set(:@continue, Thread::Queue.new)
        self.class.loaded = false
      end

      # Yields a thread that is in the middle of loading a file.
      def loading(how = :load)
        with_tmpdir do |folder|
          path = File.join(folder, "slow.rb").tap { |name| File.write(name, FILE) }
          thread = Thread.new { send(how, path) }
          BoundedWait.pop(self.class.begun)
          yield thread
        ensure
          self.class.continue.push(true)
          BoundedWait.value_of(thread) if thread
        end
      end

      def load_compiled(path) = RubyVM::InstructionSequence.compile_file(path).eval

      # Lets the file go on once this thread waits.
      def continue_when_waiting
        waiting = Thread.current
        Thread.new do
          eventually { waiting.stop? }
          self.class.continue.push(true)
        end
      end

      [:require, :load, :load_compiled].each do |how|
        test "a thread in the middle of #{how} is waited for" do
          loading(how) do
            continue_when_waiting

            assert_empty LoadingThreads.new.wait_until(Clock.now + 60)
            assert self.class.loaded
          end
        end
      end

      test "a thread that does not finish in time is answered, and not waited for again" do
        loading do |thread|
          threads = LoadingThreads.new

          assert_equal [thread], threads.wait_until(Clock.now)
          assert_empty threads.wait_until(Clock.now)
        end
      end

      test "a thread that a file has started does not load it" do
        with_tmpdir do |folder|
          File.write("#{folder}/starting.rb", "Coppice::OS::LoadingThreadsTest.loaded = Thread.new { Thread.stop }")
          load "#{folder}/starting.rb"
          thread = self.class.loaded
          eventually { thread.stop? }

          assert_empty LoadingThreads.new.wait_until(Clock.now)
        ensure
          thread&.kill&.join
        end
      end
    end
  end
end
