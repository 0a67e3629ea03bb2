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

    test "the longest timeout does not overflow" do
      RequestClock.new(@row, (2**63) - 1).start(ENV_OF_REQUEST)

      assert_operator @row.deadline_ms, :>, @row.started_ms
    end

    test "the count can be set to zero" do
      2.times { @clock.finish }
      @clock.requests = 0

      assert_equal [0, 0], [@row.requests, @clock.requests]
      assert_equal 1, @clock.finish
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

      [@board.row(1), @board.row(3)].each do |row|
        Board::ROW_COLUMNS.each { |column| assert_includes [0, ""], row.public_send(column.name) }
      end
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
