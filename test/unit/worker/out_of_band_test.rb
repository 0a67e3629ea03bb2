# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"
require "coppice/worker"

module Coppice
  class Worker
    # When out-of-band work is done, and what the board shows of it.
    class OutOfBandTest < TestCase
      # Work that notes what the board shows of it.
      class Work < OutOfBand::Task
        attr_reader :done
        attr_accessor :due

        def initialize(&call)
          @call = call
          @done = 0
          @due = true
        end

        def name = :work
        def due? = @due

        def call
          @done += 1
          @call&.call
        end
      end

      Log = Struct.new(:lines) do
        def exception(message, error, **fields) = lines << [message, error.message, fields]
        def error(message, **fields) = lines << [message, fields]
      end

      def setup
        @board = Board.create
        @board.rows_count = 20
        @board.workers_count = 10
        @rows = Array.new(20) { |i| @board.row(i).tap { |row| assign(row, i) } }
        @log = Log.new([])
      end

      def teardown
        @board.close
      end

      def assign(row, number)
        row.assign(role: :worker, nr: number, generation: 0)
        row.pid = number + 1
      end

      def out_of_band(*tasks) = OutOfBand.new(@rows[0], @board, @log, tasks, 20)

      test "work in hand is on the board with a deadline, and nothing is left of it" do
        seen = nil
        row = @rows[0]
        work = Work.new { seen = [row.request, row.deadline_ms - row.started_ms, row.out_of_band_ms] }

        assert out_of_band(work).call
        assert_equal ["out-of-band work", 20_000], seen.first(2)
        assert_operator seen.last, :>, 0
        assert_equal [0, 0, 0], [@rows[0].deadline_ms, @rows[0].started_ms, @rows[0].out_of_band_ms]
      end

      test "only what is due is done" do
        idle, work = Work.new, Work.new
        idle.due = false
        both = out_of_band(idle, work)

        assert_predicate both, :due?
        both.call

        assert_equal [0, 1], [idle.done, work.done]
        work.due = false

        refute_predicate both, :due?
      end

      test "a tenth of the workers work at the same time, rounded up" do
        work = Work.new
        @rows[7].out_of_band_ms = 1

        refute out_of_band(work).call
        assert_equal [0, 0], [work.done, @rows[0].out_of_band_ms]
        @board.workers_count = 11

        assert out_of_band(work).call
        @rows[8].out_of_band_ms = 1

        refute out_of_band(work).call
        [@rows[7], @rows[8]].each(&:clear) # as the monitor does when it has reaped them

        assert out_of_band(work).call
      end

      test "work that fails is logged, and given up after three failures in a row" do
        fails = true
        work = Work.new { raise "no" if fails }
        working = out_of_band(work)
        2.times { working.call }
        fails = false
        working.call
        fails = true
        3.times { working.call }

        assert_equal [6, false], [work.done, working.due?]
        assert_equal 6, @log.lines.size
        assert_equal ["out-of-band work failed", "no", { work: :work }], @log.lines.first
        assert_equal "out-of-band work is given up in this worker", @log.lines.last.first
        assert_equal 0, @rows[0].deadline_ms
      end

      test "an exit in the work leaves nothing on the board" do
        assert_raises(SystemExit) { out_of_band(Work.new { exit }).call }
        assert_equal [0, 0, 0], [@rows[0].deadline_ms, @rows[0].started_ms, @rows[0].out_of_band_ms]
      end
    end
  end
end
