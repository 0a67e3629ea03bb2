# frozen_string_literal: true

require "set"
require "test_helper"
require "coppice"
require "coppice/control/channel"
require "coppice/control/messages"
require "coppice/monitor/state/handle"
require "coppice/monitor/kernel/inbox"

class InboxTest < Coppice::TestCase
  def setup
    @inbox = Coppice::Monitor::Inbox.new
    @open = []
  end

  def teardown
    [*@open, @inbox].each(&:close)
  end

  # A child, and its own end of the channel.
  def watched
    ours, theirs = Coppice::Control::Channel.pair
    @open.push(ours, theirs)
    kind = Coppice::Monitor::ChildKind.new(:worker, nr: 0, generation: 0)
    handle = Coppice::Monitor::Handle.new(kind, row: nil, channel: ours, deadline: nil)
    @inbox.watch(handle)
    [handle, theirs]
  end

  def tell(channel) = channel.send(Coppice::Control::Messages::Ready.new)

  def wait(seconds = 60) = @inbox.wait(seconds)

  test "each child that has sent something is returned once, however much it has sent" do
    children = Array.new(20) { watched }
    talking = children.values_at(3, 7, 19)
    talking.each { |_, channel| 3.times { tell(channel) } }

    assert_equal talking.map(&:first).to_set, wait.to_set
    assert_equal 3, wait.size # nobody has read
  end

  test "a child is returned until all that it has sent is read" do
    handle, channel = watched
    2.times { tell(channel) }
    wait
    handle.channel.receive

    assert_equal [handle], wait
    handle.channel.receive

    assert_empty wait(0)
  end

  test "the end of a channel counts as something to read, until it is closed here" do
    handle, channel = watched
    channel.close

    assert_equal [handle], wait
    handle.close_channel

    assert_empty wait(0)
  end

  test "a channel that has the number of one that was closed belongs to its own child" do
    former, = watched
    number = former.channel.fileno
    former.close_channel
    2.times { former.close_channel }
    handle, channel = watched
    tell(channel)

    assert_equal [number, [handle]], [handle.channel.fileno, wait]
  end

  test "work that was handed back by a thread ends the wait" do
    Thread.new { @inbox.hand_back { :done } }

    assert_empty wait
    assert_equal [:done], @inbox.returned.map(&:call)
  end

  test "that a child has exited ends the wait, and is told once" do
    pid = fork do
      @inbox.open([])
      before = @inbox.child_exited?
      Process.wait(fork { exit! })
      @inbox.wait(60)
      exit!([before, @inbox.child_exited?, @inbox.child_exited?] == [false, true, false])
    end

    assert_predicate Process.wait2(pid).last, :success?
  end

  # A handler of signals may run before each line of the method.
  test "an exit is told of once, whenever its signal comes" do
    ask = lambda do |signal_at|
      line = -1
      signal = TracePoint.new(:line) { @inbox.__send__(:note_exit) if (line += 1) == signal_at }
      told = signal.enable(target: @inbox.method(:child_exited?)) { @inbox.child_exited? }
      [line, [told, @inbox.child_exited?].count(true)]
    end
    last_line, = ask.call(nil)

    (0..last_line).each { |line| assert_equal [line, 1], [line, ask.call(line).last] }
  end

  test "a signal that comes after its end is lost, and does no harm" do
    inbox = Coppice::Monitor::Inbox.new
    inbox.close
    inbox.hand_back {}

    assert_equal 1, inbox.returned.size
  end

  test "what else can be read ends the wait" do
    reader, writer = IO.pipe
    writer.write(".")

    assert_empty @inbox.wait(60, readers: [reader])
  ensure
    [reader, writer].each(&:close)
  end
end
