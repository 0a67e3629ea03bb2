# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/worker/deadline"

module Coppice
  class Worker
    class DeadlineTest < TestCase
      # Counts how often it is woken.
      Watcher = Struct.new(:woken, :expired) do
        alias_method :expired?, :expired
        def deadline_lowered = self.woken += 1
      end

      def setup
        @board = Board.create
        @row = @board.row(0)
        @watcher = Watcher.new(0)
        @clock = RequestClock.new(@row, 10_000)
        @deadline = Deadline.new(@row, @clock, @watcher)
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

      test "a limit counts from the start of the request, whatever was said before" do
        @clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/")
        [120, 15, 30].each do |seconds|
          @deadline.extend_deadline(7)
          @deadline.call(seconds)

          assert_equal @row.started_ms + (seconds * 1000), @row.deadline_ms
        end
        assert_equal 1, @watcher.woken
      end

      test "work after the response has the limit of its request anew, once" do
        @clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/")
        @row.deadline_ms -= 9_000 # as if it had taken so long
        @deadline.answered

        assert_equal @row.answered_ms + 10_000, @row.deadline_ms
        anew = @row.deadline_ms -= 500 # as if that was a while ago
        @deadline.answered

        assert_equal anew, @row.deadline_ms
        @clock.finish

        assert_equal [0, 0], [@row.answered_ms, @row.deadline_ms]
      end

      test "a worker that exits because the limit has passed gets no more time for work after the response" do
        @watcher.expired = true
        @deadline.answered

        assert_equal [0, @in_ten_seconds], [@row.answered_ms, @row.deadline_ms]
      end

      test "a limit leaves the time that was spent waiting for the client" do
        @clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/")
        @deadline.postpone(4000)
        @deadline.call(5)

        assert_equal @row.started_ms + 9000, @row.deadline_ms
      end

      test "a limit that has passed already is this instant, and can be raised again" do
        @clock.start({ "REQUEST_METHOD" => "GET", "PATH_INFO" => "/" }, 60_000)
        before = OS::Clock.now_ms
        @deadline.call(0)

        assert_includes before..OS::Clock.now_ms, @row.deadline_ms
        @deadline.call(20)

        assert_in_delta @row.started_ms + 20_000, @row.deadline_ms, 1
      end

      test "a limit that is no number of seconds is an error, and moves nothing" do
        [-1, Float::INFINITY, Float::NAN, "3", nil].each do |value|
          assert_raises(ArgumentError) { @deadline.call(value) }
        end
        assert_equal @in_ten_seconds, @row.deadline_ms
      end

      # The main thread ends the request as soon as the application's own thread has looked at its deadline.
      EndingRow = Struct.new(:row, :clock) do
        def deadline_ms = row.deadline_ms.tap { clock.stop }

        def deadline_ms=(milliseconds)
          row.deadline_ms = milliseconds
        end
      end

      test "a request that ends while another thread moves its deadline leaves none" do
        @clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/")
        Deadline.new(EndingRow.new(@row, @clock), @clock, @watcher).extend_deadline(5)

        assert @clock.env || @row.deadline_ms.zero?
      end

      test "one that has passed stays, and so does that of no request" do
        [0, 1].each do |deadline_ms|
          @row.deadline_ms = deadline_ms
          @deadline.extend_deadline(-1)
          @deadline.call(0)

          assert_equal [deadline_ms, 0], [@row.deadline_ms, @watcher.woken]
        end
      end
    end
  end
end
