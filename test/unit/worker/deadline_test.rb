# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/worker/deadline"

module Coppice
  class Worker
    class DeadlineTest < TestCase
      # Counts how often it is woken.
      Watcher = Struct.new(:woken) do
        def deadline_lowered = self.woken += 1
      end

      def setup
        @board = Board.create
        @row = @board.row(0)
        @watcher = Watcher.new(0)
        @deadline = Deadline.new(@row, @watcher)
        @in_ten_seconds = @row.deadline_ms = OS::Clock.now_ms + 10_000
      end

      def teardown
        @board.close
      end

      test "more time moves it, and does not wake the soft timeout" do
        @deadline.extend_deadline(1.5)

        assert_equal [@in_ten_seconds + 1500, 0], [@row.deadline_ms, @watcher.woken]
      end

      test "less time moves it, and wakes the soft timeout" do
        @deadline.extend_deadline(-1.5)

        assert_equal [@in_ten_seconds - 1500, 1], [@row.deadline_ms, @watcher.woken]
      end

      test "it can be lowered to this instant, not into the past, where the hard limit would have passed" do
        before = OS::Clock.now_ms
        @deadline.extend_deadline(-600)

        assert_includes before..OS::Clock.now_ms, @row.deadline_ms
      end

      test "one that has passed stays, and so does that of no request" do
        [0, 1].each do |deadline_ms|
          @row.deadline_ms = deadline_ms
          @deadline.extend_deadline(-1)

          assert_equal [deadline_ms, 0], [@row.deadline_ms, @watcher.woken]
        end
      end
    end
  end
end
