# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/state/seat_numbers"

class SeatNumbersTest < Coppice::TestCase
  Seat = Struct.new(:number)
  Worker = Struct.new(:seat)
  SPARE = Coppice::Monitor::SeatNumbers::SPARE

  def setup
    @numbers = Coppice::Monitor::SeatNumbers.new
  end

  # A worker with the next seat.
  def seated = Worker.new(Seat.new(@numbers.next)).tap { |worker| @numbers.look(worker) }

  def numbers(workers) = workers.map { |worker| worker.seat.number }

  test "the lowest number comes first, and each worker has its own" do
    assert_equal [0, 1, 2], numbers(Array.new(3) { seated })
  end

  test "a seat is given again when it was left before all others" do
    given = Array.new(2 * SPARE) { seated.tap { |worker| @numbers.leave(worker) } }

    assert_equal (0...SPARE).to_a * 2, numbers(given)
  end

  test "while many are taken, one that was left is given once there is no fresh one" do
    workers = Array.new(10) { seated }
    @numbers.leave(workers[4])
    given = Array.new(SPARE) { seated.tap { |worker| @numbers.leave(worker) } }

    assert_equal (10...(9 + SPARE)).to_a << 4, numbers(given)
  end

  test "the next lobby has all seats free" do
    workers = Array.new(3) { seated }
    workers.each do |worker|
      worker.seat = nil
      @numbers.look(worker)
    end

    assert_equal [0, 1, 2, 3], numbers(Array.new(4) { seated })
  end

  test "a worker that changes in another way keeps its seat" do
    worker = seated
    2.times { @numbers.look(worker) }

    assert_equal 1, @numbers.next
  end

  test "there is none when every seat of the lobby is taken" do
    Coppice::Monitor::SeatNumbers::SEATS.times { seated }

    assert_nil @numbers.next
  end
end
