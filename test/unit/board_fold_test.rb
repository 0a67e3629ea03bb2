# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"

module Coppice
  # What processes have counted is kept when they are gone: once, whatever happens meanwhile.
  class BoardFoldTest < TestCase
    COLUMNS = [:bytes_sent, :bytes_received, :refused].freeze
    STEPS = 3000

    def setup
      @board = Board.create
    end

    def teardown
      @board.close
    end

    def take(index, nr, role: :worker)
      @board.row(index).tap { |row| row.assign(role: role, nr: nr, generation: 0) }
    end

    test "the counts of a row are added to those of its slot, and the row is free" do
      2.times do
        row = take(3, 5)
        row.count(:bytes_sent, 10)
        row.responses = [0, 1, 2, 3, 4]
        row.request = "GET /"
        @board.fold(row)
      end

      assert_equal [20, [0, 2, 4, 6, 8]], [@board.slot(5).bytes_sent, @board.slot(5).responses]
      assert_equal @board.row(9).to_h, @board.row(3).to_h
      assert_equal [0, 0, 4], [@board.slot(4).bytes_sent, @board.slot(6).bytes_sent, @board.folds]
    end

    test "molds, service workers and slots beyond the last count together" do
      { mold: nil, service: nil, worker: Board::SLOT_COUNT }.each do |role, nr|
        row = take(0, nr, role: role)
        row.count(:cpu_us, 10)
        @board.fold(row)
      end
      last = take(0, Board::SLOT_COUNT - 1)
      last.count(:cpu_us, 1)
      @board.fold(last)

      assert_equal [30, 1], [@board.slot.cpu_us, @board.slot(Board::SLOT_COUNT - 1).cpu_us]
    end

    test "a row that is passed on keeps all but the CPU time, which the record of other processes has" do
      row = take(3, nil, role: :lobby)
      row.seen_ms = 5
      [100, 20].each do |cpu_us|
        row.cpu_us = cpu_us
        @board.pass_on(row, 4711)
      end

      assert_equal [:lobby, 4711, 5, 0], [row.role_name, row.pid, row.seen_ms, row.cpu_us]
      assert_equal [120, 4], [@board.slot.cpu_us, @board.folds]
    end

    test "in any order of counting and folding, the totals are what was counted" do
      random = Random.new(seed = Random.new_seed)
      live = {}
      counted = Hash.new(0)
      STEPS.times do
        index, nr = random.rand(6), random.rand(4)
        case random.rand(4)
        when 0 then live[index] ||= take(index, nr)
        when 1 then live.delete(index)&.then { |row| @board.fold(row) }
        else count(live[index], COLUMNS[random.rand(3)], random.rand(100), counted)
        end
      end

      expected = (0...4).to_h { |nr| [nr, COLUMNS.map { |column| counted[[nr, column]] }] }
      assert_equal expected, totals(live), "seed #{seed}"
    end

    def count(row, column, number, counted)
      return unless row

      row.count(column, number)
      counted[[row.nr, column]] += number
    end

    def totals(live)
      (0...4).to_h do |nr|
        records = [@board.slot(nr), *live.values.select { |row| row.nr == nr }]
        [nr, COLUMNS.map { |column| records.sum(&column) }]
      end
    end

    test "a monitor that died in the middle of a fold does not hold its readers" do
      @board.slot(0).bytes_sent = 5
      @board.folds = 1

      assert_equal 5, @board.consistent { @board.slot(0).bytes_sent }
    end

    test "a block that reads nothing is asked once" do
      asked = 0

      assert_nil @board.consistent { asked += 1; nil }
      assert_equal 1, asked
    end
  end
end
