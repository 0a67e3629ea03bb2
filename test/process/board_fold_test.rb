# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/board"

module Coppice
  # What one process counts while another one reads, folds or kills it.
  class BoardFoldTest < TestCase
    FOLDS = 20_000
    BYTES = 7

    def setup
      @board = Board.create
    end

    def teardown
      @board.close
    end

    def take(index, nr)
      @board.row(index).tap { |row| row.assign(role: :worker, nr: nr, generation: 0) }
    end

    # Another process counts and folds without a pause. `beat_ms` is how often it has counted.
    test "a reader beside the monitor never sees a count twice, or misses one" do
      monitor = fork { count_and_fold }
      last = 0
      BoundedWait.wait(BoundedWait::SECONDS, "the process has not ended", interval: 0) do # as often as it can
        before = @board.beat_ms
        total = consistent { @board.slot(1).bytes_sent + @board.row(0).bytes_sent }

        assert_includes (before * BYTES)..((@board.beat_ms + 1) * BYTES), total
        assert_operator total, :>=, last
        last = total
        Process.wait2(monitor, Process::WNOHANG)
      end
      assert_equal FOLDS * BYTES, @board.slot(1).bytes_sent
    end

    # With all the time that the other process may need on a busy machine to go on.
    def consistent(&block)
      fold_ends = lambda do |_seconds|
        BoundedWait.wait(BoundedWait::SECONDS, "a fold has no end", interval: 0.001) { @board.folds.even? }
      end
      Kernel.stub(:sleep, fold_ends) { @board.consistent(&block) }
    end

    def count_and_fold
      FOLDS.times do |number|
        row = take(0, 1)
        row.count(:bytes_sent, BYTES)
        @board.beat_ms = number + 1
        @board.fold(row)
      end
      exit!(0)
    end

    test "a process that is killed while it counts leaves whole counts" do
      row = take(0, 2)
      clock = RequestClock.new(row, 1000)
      killed_after(row, 1000) { serve_forever(clock) }
      requests, durations = row.requests, row.application_us
      @board.fold(row)

      assert_includes [requests, requests - 1], durations.drop(1).sum
      assert_equal durations, @board.slot(2).application_us
    end

    def serve_forever(clock)
      clock.begin_counting
      loop do
        clock.start("REQUEST_METHOD" => "GET", "PATH_INFO" => "/")
        clock.finish
      end
    end

    # Runs the block in a process until its row has counted so many requests.
    def killed_after(row, requests, &block)
      worker = fork(&block)
      eventually { row.requests > requests }
    ensure
      Process.kill(:KILL, worker)
      BoundedWait.status_of(worker)
    end
  end
end
