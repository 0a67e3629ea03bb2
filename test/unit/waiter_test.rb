# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"

class WaiterTest < Coppice::TestCase
  def setup
    @listeners = Array.new(2) { TCPServer.new("127.0.0.1", 0) }
    @control, @monitor = IO.pipe
    @waiter = Coppice::Waiter.new(@listeners.map(&:fileno), @control.fileno)
  end

  def teardown
    @waiter.close
    [*@listeners, @control, @monitor].each(&:close)
  end

  def connect(listener) = TCPSocket.new("127.0.0.1", listener.local_address.ip_port)

  test "there is nothing to see when nobody came" do
    assert_nil @waiter.look
    assert_nil @waiter.wait(0)
  end

  test "a client is seen by those who look and by those who wait" do
    client = connect(@listeners.last)

    assert_equal @listeners.last.fileno, @waiter.wait(nil)
    assert_equal @listeners.last.fileno, @waiter.look
  ensure
    client.close
  end

  test "one who goes last misses no client who is there already" do
    clients = @listeners.map { |listener| connect(listener) }
    @waiter.go_last

    assert_equal @listeners.map(&:fileno).sort, Array.new(2) { @waiter.look }.sort
  ensure
    clients.each(&:close)
  end

  test "one who goes last sees the clients to come, and the monitor's word" do
    3.times { @waiter.go_last }
    client = connect(@listeners.first)
    @monitor.write(".")

    assert_equal [@listeners.first, @control].map(&:fileno).sort, Array.new(2) { @waiter.wait(nil) }.sort
  ensure
    client.close
  end
end
