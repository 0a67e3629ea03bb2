# frozen_string_literal: true

require "io/wait"
require "set"
require "socket"
require "test_helper"
require "coppice"

class WaiterTest < Coppice::TestCase
  def setup
    @listeners = Array.new(2) { TCPServer.new("127.0.0.1", 0) }
    @control, @monitor = IO.pipe
    @waiter = Coppice::Waiter.new
    @listeners.each { |listener| @waiter.add_shared(listener.fileno, listener) }
    @waiter.add(@control.fileno, :control)
  end

  def teardown
    @waiter.close
    [*@listeners, @control, @monitor].each(&:close)
  end

  # Sleeps for as long as it takes: a wait may also end because Ruby's scheduler has something to do.
  def wait_for_source
    nil until (source = @waiter.wait(nil))
    source
  end

  # The kernel may tell the client first that it is connected.
  def connect(listener)
    TCPSocket.new("127.0.0.1", listener.local_address.ip_port).tap { BoundedWait.readable(listener) }
  end

  test "nothing is ready when there is no client" do
    assert_nil @waiter.look
    assert_nil @waiter.wait(0)
  end

  test "look and wait answer the source that has a client" do
    client = connect(@listeners.last)

    assert_same @listeners.last, wait_for_source
    assert_same @listeners.last, @waiter.look
  ensure
    client.close
  end

  test "a waiter that goes last misses no client that is there already" do
    clients = @listeners.map { |listener| connect(listener) }
    @waiter.wake_last

    assert_equal @listeners.to_set, Set.new(Array.new(2) { @waiter.look })
  ensure
    clients.each(&:close)
  end

  test "a waiter that goes last is woken by later clients, and by what is its own" do
    3.times { @waiter.wake_last }
    client = connect(@listeners.first)
    @monitor.write(".")

    assert_equal Set[@listeners.first, :control], Set.new(Array.new(2) { wait_for_source })
  ensure
    client.close
  end

  test "a source that is added edge-triggered is ready once for each write, although nobody reads" do
    skip "only the lobby needs it" unless Coppice::OS.supervises?

    reader, writer = IO.pipe
    @waiter.add_edge(reader.fileno, :edge)

    2.times do
      writer.write(".")
      assert_equal [:edge, nil], [wait_for_source, @waiter.look]
    end
  ensure
    [reader, writer].compact.each(&:close)
  end

  test "a source that was removed is not ready any more" do
    @monitor.write(".")
    assert_equal :control, @waiter.look
    @waiter.remove(@control.fileno)

    assert_nil @waiter.look
    assert_raises(Errno::ENOENT) { @waiter.remove(@control.fileno) }
  end

  test "a source that cannot be watched is not there when another gets its number" do
    skip "only Linux refuses one" unless Coppice::OS.supervises?

    File.open(__FILE__) { |file| assert_raises(Errno::EPERM) { @waiter.add(file.fileno, :file) } } # as epoll(7) says
    reader, writer = IO.pipe
    @waiter.add(reader.fileno, :reader)
    writer.write(".")

    assert_equal :reader, wait_for_source
  ensure
    [reader, writer].compact.each(&:close)
  end

  test "the descriptor of a waiter can be read while a source is ready" do
    skip "only the monitor needs it" unless Coppice::OS.supervises?

    io = IO.for_fd(@waiter.fileno, autoclose: false)

    assert_nil io.wait_readable(0)
    @monitor.write(".")

    assert_same io, io.wait_readable(60)
  end

  test "a source is kept alive by its waiter" do
    reader, writer = IO.pipe
    @waiter.add(reader.fileno, +"a source that no variable refers to")
    GC.start
    writer.write(".")

    assert_equal "a source that no variable refers to", wait_for_source
  ensure
    [reader, writer].each(&:close)
  end
end
