# frozen_string_literal: true

require "test_helper"
require "coppice/board"
require "coppice/monitor/molds/canary"

class CanaryCountsTest < Coppice::TestCase
  Counts = Coppice::Monitor::Canary::Counts

  def with_board
    board = Coppice::Board.create
    yield board
  ensure
    board&.close
  end

  def serve(row, *statuses, milliseconds: 10)
    statuses.each do |status|
      row.count(:responses, place: (status / 100) - 1)
      Coppice::Histogram.add(row.cells, row.place_of(:application_us).first, milliseconds * 1000)
    end
  end

  test "it reads what a row has counted, and is added to what a slot holds of exited workers" do
    with_board do |board|
      row = board.row(0)
      row.assign(role: :worker, nr: 0, generation: 1)
      serve(row, 200, 302, 404, 500, 503)
      row.count(:timeouts)
      board.fold(row)
      serve(board.row(1), 200, 500)
      counts = Counts.of(board.slot(0)) + Counts.of(board.row(1))

      assert_equal [7, 3, 1], [counts.requests, counts.failed, counts.timeouts]
      assert_in_delta 3 / 7.0, counts.failure_rate
    end
  end

  test "what a record of the last hour holds is read as well" do
    with_board do |board|
      moment = board.moment_record(1)
      serve(moment, 200, 500)

      assert_equal [2, 1], [Counts.of(moment).requests, Counts.of(moment).failed]
    end
  end

  test "the difference of two moments is what was counted in between" do
    with_board do |board|
      serve(board.row(0), 200, 500)
      before = Counts.of(board.row(0))
      serve(board.row(0), 200, 200, 501, milliseconds: 100)
      between = Counts.of(board.row(0)) - before

      assert_equal [3, 1, 0], [between.requests, between.failed, between.timeouts]
      assert_equal 3, between.durations[Coppice::Histogram.bucket(100_000)]
    end
  end

  test "a difference is never negative" do
    with_board do |board|
      serve(board.row(0), 500, 500)
      difference = Counts::NONE - Counts.of(board.row(0))

      assert_equal [0, 0], [difference.requests, difference.failed]
    end
  end

  test "where nothing is counted there is no failure rate" do
    assert_equal [0, 0, 0.0], [Counts::NONE.requests, Counts::NONE.failed, Counts::NONE.failure_rate]
  end
end
