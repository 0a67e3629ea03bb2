# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/monitor/kernel/row_pool"

class RowPoolTest < Coppice::TestCase
  def setup
    @board = Coppice::Board.create
    @pool = Coppice::Monitor::RowPool.new(@board)
  end

  def teardown
    @board.close
  end

  def take(number) = @pool.take(role: :worker, nr: number, generation: 0)

  test "each gets the lowest row that is free, and all in use lie below the number on the board" do
    random = Random.new(Minitest.seed)
    taken = []
    500.times do |number|
      if taken.any? && random.rand < 0.48
        @pool.release(taken.delete_at(random.rand(taken.size)))
      else
        free = (0..).find { |index| taken.none? { |row| row.index == index } }
        taken << take(number)

        assert_equal free, taken.last.index
      end

      assert_equal taken.map(&:index).max.to_i + (taken.empty? ? 0 : 1), @board.rows_count
    end
  end

  test "a row that was taken before has nothing of its predecessor, whose counts are those of its slot" do
    row = take(3)
    row.count(:refused, 2)
    @pool.release(row)

    assert_equal [row.index, 0], [take(4).index, @board.row(row.index).refused]
    assert_equal 2, @board.slot(3).refused
  end
end
