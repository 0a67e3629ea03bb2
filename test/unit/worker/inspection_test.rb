# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/control/messages"
require "coppice/worker"

module Coppice
  class Worker
    # The helper thread's socket, with the test in the monitor's place.
    class InspectionTest < TestCase
      LONG = 60 # seconds, longer than any test

      def setup
        @monitor, worker = Control::Channel.pair
        @board = Board.create
        membership = Child::Membership.new(role: :worker, generation: 0, nr: 3, row: @board.row(0), channel: @monitor)
        @inspection = Inspection.new(worker.socket, membership)
      end

      def teardown
        [@monitor, @inspection, @board].each(&:close)
      end

      # What is written to the descriptor of a question.
      def answer_to_question
        reader, writer = IO.pipe
        @monitor.send(Control::Messages::ShowThreads.new, descriptors: { output: writer })
        writer.close
        @inspection.wait(LONG)
        reader.read
      ensure
        [reader, writer].each { |io| io&.close }
      end

      test "a question ends the wait and is answered with all threads" do
        other = Thread.new { Thread.stop }
        other.name = "cache cleaner"
        eventually { other.stop? }
        text = answer_to_question

        assert_match(/\Acoppice worker\[3\] \(gen 0\), process #{Process.pid}, \d+ threads$/, text)
        assert_match(/^no request in flight$/, text)
        assert_match(/^main thread \(run\)\n  .*inspection\.rb:\d+:in .*answer/, text)
        assert_match(/^thread cache cleaner \(sleep/, text)
      ensure
        other&.kill&.join
      end

      test "the request in flight, with its age" do
        row = @board.row(0)
        now_ms = OS::Clock.now_ms
        row.started_ms = now_ms - 7000
        row.request = "GET /report"
        answer = OS::Clock.stub(:now_ms, now_ms) { answer_to_question }

        assert_match(%r{^request in flight for 7\.0 s: GET /report$}, answer)
      end

      # As in the C locale, when the application is in a folder with such a name.
      test "files and names in any encoding, and malformed ones, are shown" do
        others = ["ü", "ü".b, "\xFC", "\u00FC".encode("ISO-8859-1"), "ü".dup.force_encoding("US-ASCII")].map do |name|
          eval("Thread.new { Thread.stop }", binding, "/shop #{name}/app.rb", 1).tap { |thread| thread.name = name }
        end
        others << eval("Thread.new { Thread.stop }", binding, "/ü/app.rb".dup.force_encoding("US-ASCII"), 1)
        others.each { |thread| eventually { thread.stop? } }
        text = answer_to_question.force_encoding(Encoding::UTF_8)

        assert_predicate text, :valid_encoding?
        assert_equal [4, 1], [text.scan("thread ü (sleep").size, text.scan("thread \uFFFD (sleep").size]
        assert_equal 4, text.scan(%r{^  /shop ü/app\.rb:1:in .*stop}).size
        assert_match(/^thread 0x\h+ \(sleep.*\n  \/ü\/app\.rb:1/, text)
      ensure
        others&.each { |thread| thread.kill.join }
      end

      test "where a thread cannot be shown, the answer says why, and the process goes on" do
        other = Class.new(Thread) { def name = Kernel.raise(ArgumentError, "no name") }.new { Thread.stop }

        assert_equal "no backtrace: no name (ArgumentError)\n", answer_to_question
      ensure
        other&.kill&.join
      end

      test "it is woken from another thread, also before it waits" do
        2.times { @inspection.wake }
        @inspection.wait(LONG)
        waiting = Thread.new { @inspection.wait(LONG) }
        eventually { waiting.stop? }
        @inspection.wake

        assert waiting.join(LONG)
      end

      test "an asker that has gone, and a monitor that has gone, end nothing" do
        reader, writer = IO.pipe
        @monitor.send(Control::Messages::ShowThreads.new, descriptors: { output: writer })
        [reader, writer, @monitor].each(&:close)
        2.times { @inspection.wait(LONG) }
        @inspection.wake

        assert_nil @inspection.wait(LONG)
      end
    end
  end
end
