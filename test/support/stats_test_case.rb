# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/stats"

# Tests of what a reader of the board is told, with a board whose rows this process stands for.
class StatsTestCase < Coppice::TestCase
  def setup
    @board = Coppice::Board.create
    @stats = Coppice::Stats.new(@board)
  end

  def teardown
    @board.close
  end

  # A worker that is ready.
  def worker(nr, index: nr)
    @board.rows_count = [@board.rows_count, index + 1].max
    @board.slots_count = [@board.slots_count, nr + 1].max
    @board.row(index).tap do |row|
      row.assign(role: :worker, nr: nr, generation: 0)
      row.pid = Process.pid
      row.ready = 1
      row.forked_ms = Coppice::OS::Clock.now_ms
    end
  end

  def to_h = @stats.to_h
end
