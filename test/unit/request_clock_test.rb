# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"

module Coppice
  # What a worker notes of each request on its row.
  class RequestClockTest < TestCase
    TIMEOUT_MS = 60_000
    ENV_OF_REQUEST = { "REQUEST_METHOD" => "GET", "PATH_INFO" => "/products/7" }.freeze

    def setup
      @board = Board.create
      @row = @board.row(2)
      @clock = RequestClock.new(@row, TIMEOUT_MS)
    end

    def teardown
      @board.close
    end

    test "a request that starts is on the board, with its start and its deadline" do
      before = OS::Clock.now_ms
      @clock.start(ENV_OF_REQUEST)

      assert_equal "GET /products/7", @row.request
      assert_includes before..OS::Clock.now_ms, @row.started_ms
      assert_equal @row.started_ms + TIMEOUT_MS, @row.deadline_ms
      assert_equal [@row.started_ms, ENV_OF_REQUEST, 0], [@clock.last_start_ms, @clock.env, @row.requests]
    end

    test "a request that finishes counts, and leaves no deadline behind" do
      @clock.start(ENV_OF_REQUEST)
      started_ms = @row.started_ms

      assert_equal 1, @clock.finish
      assert_equal [0, 0, 1, "GET /products/7"], [@row.started_ms, @row.deadline_ms, @row.requests, @row.request]
      assert_equal [started_ms, nil, 1], [@clock.last_start_ms, @clock.env, @clock.requests]
    end

    test "one that stops does not count, and one that is counted goes on" do
      @clock.start(ENV_OF_REQUEST)
      @clock.stop

      assert_equal [0, 0, nil], [@row.deadline_ms, @row.requests, @clock.env]
      @clock.start(ENV_OF_REQUEST)

      assert_equal 1, @clock.count_request
      assert_equal [@row.started_ms + TIMEOUT_MS, 1], [@row.deadline_ms, @row.requests]
    end

    test "a request may have a limit of its own, which the next one does not inherit" do
      [[50, 50], [nil, TIMEOUT_MS]].each do |given, limit_ms|
        @clock.start(ENV_OF_REQUEST, given)

        assert_equal [limit_ms, @row.started_ms + limit_ms], [@clock.limit_ms, @row.deadline_ms]
      end
      @clock.start(ENV_OF_REQUEST, 50)
      @clock.start(ENV_OF_REQUEST)

      assert_equal TIMEOUT_MS, @clock.limit_ms
    end

    test "the ID of a request is beside it, cut, until the next request" do
      { "a1" => "a1", "b" * 50 => "b" * 40, nil => "" }.each do |id, noted|
        @clock.start(id ? ENV_OF_REQUEST.merge("HTTP_X_REQUEST_ID" => id) : ENV_OF_REQUEST)

        assert_equal noted, @row.request_id
      end
    end

    test "the longest timeout does not overflow" do
      RequestClock.new(@row, (2**63) - 1).start(ENV_OF_REQUEST)

      assert_operator @row.deadline_ms, :>, @row.started_ms
    end

    test "requests that were no client's do not count, and nor do their durations" do
      2.times { serve_one(@clock) }
      @clock.begin_counting

      assert_equal [0, 0, 0], [@row.requests, @clock.requests, @row.application_us.sum]
      assert_equal 1, serve_one(@clock)
      assert_equal [1, 1], [@row.application_us.drop(1).sum, @row.first_request_us.drop(1).sum]
    end

    test "the first request is noted apart" do
      @clock.begin_counting
      serve_one(@clock)
      first_us = @row.first_us
      2.times { serve_one(@clock) }

      assert_operator first_us, :>=, 1
      assert_equal [first_us, 3, 1],
        [@row.first_us, @row.application_us.drop(1).sum, @row.first_request_us.drop(1).sum]
      assert_operator @row.application_us.first, :>=, @row.first_request_us.first
    end

    test "a request with a hook is counted before it, and its duration after it" do
      @clock.begin_counting
      @clock.start(ENV_OF_REQUEST)
      @clock.count_request

      assert_equal [1, 0], [@row.requests, @row.application_us.drop(1).sum]
      @clock.end_request

      assert_equal [1, 1, 0], [@row.requests, @row.application_us.drop(1).sum, @row.started_ms]
    end

    test "several clocks count on one row" do
      clocks = Array.new(2) { RequestClock.new(@row, TIMEOUT_MS) }
      clocks.each(&:begin_counting)

      assert_equal [1, 2, 3], [clocks[0], clocks[1], clocks[0]].map { |clock| serve_one(clock) }
      assert_equal [3, 3, 1], [@row.requests, @row.application_us.drop(1).sum, @row.first_request_us.drop(1).sum]
    end

    def serve_one(clock)
      clock.start(ENV_OF_REQUEST)
      clock.finish
    end

    test "a long path is cut, and a shorter one leaves nothing of it behind" do
      @clock.start("REQUEST_METHOD" => "DELETE", "PATH_INFO" => "/#{'a' * 200}")

      assert_equal "DELETE /#{'a' * 120}", @row.request
      @clock.start(ENV_OF_REQUEST)

      assert_equal "GET /products/7", @row.request
    end

    test "the rows beside it stay as they are" do
      @clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/#{'a' * 10_000}")
      @clock.finish

      [@board.row(1), @board.row(3)].each { |row| assert_equal @board.row(9).to_h, row.to_h }
    end

    test "a board that is closed is an error, and so is an env without a path" do
      assert_raises(TypeError) { @clock.start("REQUEST_METHOD" => "GET") }
      board = Board.create
      clock = RequestClock.new(board.row(0), TIMEOUT_MS)
      board.close

      assert_raises(IOError) { clock.start(ENV_OF_REQUEST) }
    end
  end
end
