# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/monitor/kernel/helper_thread"

class HelperThreadTest < Coppice::TestCase
  def setup
    @helper = Coppice::Monitor::HelperThread.new
  end

  test "work is done in its order, and finish waits for it" do
    done = []
    3.times { |number| @helper.post { done << number } }
    @helper.finish(BoundedWait.seconds)

    assert_equal [0, 1, 2], done
  end

  test "posting never blocks: what does not fit is refused" do
    gate = Thread::Queue.new
    @helper.post { gate.pop }
    _, complaint = capture_io do # from here, as the thread may complain before the last answer is there
      answers = Array.new(Coppice::Monitor::HelperThread::LIMIT + 10) { @helper.post { nil } }
      gate << :open

      assert_includes answers, false
      eventually { @helper.post { nil } }
      @helper.finish(BoundedWait.seconds)
    end

    assert_match(/dropped/, complaint)
  end

  test "a log that nobody reads any more does not end the thread" do
    done = []
    @helper.post { raise Errno::EPIPE }
    @helper.post { done << :next }
    @helper.finish(BoundedWait.seconds)

    assert_equal [:next], done
  end

  test "whatever the user's code raises, or ends, the next work is done" do
    done = []
    _, complaint = capture_io do
      @helper.post { raise Exception, "not even a StandardError" } # rubocop:disable Lint/RaiseException
      @helper.post { Thread.current.kill }
      eventually { @helper.post { done << :next } && !done.empty? }
      @helper.finish(BoundedWait.seconds)
    end

    assert_includes done, :next
    assert_match(/not even a StandardError/, complaint)
  end

  test "work behind one that ends its thread is done at the end, too" do
    main = Thread.current
    done = []
    @helper.post { eventually { main.stop? } && Thread.current.kill }
    @helper.post { done << :next }
    @helper.finish(BoundedWait.seconds)

    assert_equal [:next], done
  end

  test "without a thread left, work waits for the next piece of work" do
    done = []
    @helper.post { Thread.current.kill }
    eventually { !@helper.instance_variable_get(:@thread).alive? }
    Thread.stub(:new, ->(*) { raise ThreadError, "no thread left" }) { @helper.post { done << :first } }
    @helper.post { done << :next }
    @helper.finish(BoundedWait.seconds)

    assert_equal %i[first next], done
  end

  test "work that hangs does not hold up the end" do
    gate = Thread::Queue.new
    @helper.post { gate.pop }
    @helper.finish(0.05)
    gate << :open

    pass
  end
end
