# frozen_string_literal: true

require "test_helper"
require "support/bounded_wait"

class BoundedWaitTest < Coppice::TestCase
  def setup
    @now = 1000.0
  end

  # One whose pauses take so many seconds of a clock that nothing else moves.
  def bounded(seconds, pause:, factor: nil)
    BoundedWait.new(seconds, clock: -> { @now }, pause: ->(_interval) { @now += pause },
      environment: { "COPPICE_PATIENCE" => factor }.compact)
  end

  # How often it looks before it gives up.
  def looks(bounded)
    looks = 0
    assert_raises(BoundedWait::TimedOut) { bounded.wait("nothing") { (looks += 1) && false } }
    looks
  end

  test "it answers what the block does, at the first look that finds something" do
    answers = [nil, false, :there, :later]

    assert_equal :there, bounded(1, pause: 0.125).wait("nothing") { answers.shift }
    assert_equal [:later], answers
  end

  test "the time between two looks is taken from the seconds" do
    assert_equal 9, looks(bounded(1, pause: 0.125))
  end

  test "a long time between two looks costs a quarter of a second" do
    assert_equal 5, looks(bounded(1, pause: 3600))
  end

  test "a look that takes long costs the same" do
    looks = 0
    bounded = bounded(1, pause: 0)
    assert_raises(BoundedWait::TimedOut) { bounded.wait("nothing") { (looks += 1) && (@now += 3600) && false } }

    assert_equal 5, looks
  end

  test "COPPICE_PATIENCE multiplies the seconds" do
    assert_equal [5, 21, 3], [nil, "5", "0.5"].map { |factor| looks(bounded(1, pause: 0.25, factor: factor)) }
  end

  test "it looks once more after the seconds are used up" do
    assert_equal(:late, bounded(1, pause: 1).wait("nothing") { @now >= 1004 && :late })
  end

  test "the error has the reason and the seconds" do
    error = assert_raises(BoundedWait::TimedOut) { bounded(2, pause: 1, factor: "3").wait("ready") { nil } }

    assert_equal "not within 6.0 s: ready", error.message
  end

  test "a reason can be told at the end" do
    screen = +"empty"
    waiting = bounded(1, pause: 1)
    error = assert_raises(BoundedWait::TimedOut) { waiting.wait(-> { screen }) { screen.replace("full") && nil } }

    assert_match(/: full\z/, error.message)
  end

  test "what comes on a descriptor is read to its end" do
    reader, writer = IO.pipe
    writer.write("all ")

    assert_same reader, BoundedWait.readable(reader)
    assert_equal "a", reader.getc
    assert_same reader, BoundedWait.readable(reader), "Ruby has read the rest already"
    writer.write("of it")
    writer.close

    assert_equal "ll of it", BoundedWait.read(reader)
  ensure
    [reader, writer].each(&:close)
  end

  test "what a thread answers or raises is passed on" do
    failed = Thread.new { raise(IOError, "no") }.tap { |thread| thread.report_on_exception = false }

    assert_equal :answer, BoundedWait.value_of(Thread.new { :answer })
    assert_raises(IOError) { BoundedWait.value_of(failed) }
  end

  test "a queue's next element comes, and nil at the end" do
    queue = Queue.new << :element << false

    assert_equal [:element, false, nil], [BoundedWait.pop(queue), BoundedWait.pop(queue), BoundedWait.pop(queue.close)]
  end

  test "limits that others count are multiplied as well" do
    assert_equal 30 * Float(ENV.fetch("COPPICE_PATIENCE", 1)), BoundedWait.seconds(30)
  end
end
