# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice"
require_relative "../support/process_state"

# Several processes wait at the same listeners; each tells its clients which one it is.
class WaiterOrderTest < Coppice::TestCase
  include ProcessState

  def setup
    @listeners = Array.new(2) { TCPServer.new("127.0.0.1", 0) }
    @about_to_wait, @announcement = IO.pipe
    @pids = Array.new(3) { |nr| fork { serve(nr.to_s) } }
    @announcement.close
    @pids.size.times { @about_to_wait.readbyte }
  end

  def teardown
    @pids.each { |pid| Process.kill(:KILL, pid) && BoundedWait.status_of(pid) }
    [@about_to_wait, *@listeners].each(&:close)
  end

  # From the announcement on nothing else sleeps in this process.
  def serve(name)
    waiter = Coppice::Waiter.new
    @listeners.each { |listener| waiter.add_shared(listener.fileno, listener) }
    loop do
      waiter.wake_last
      @announcement.write(".")
      answer(waiter.wait(nil), name)
    end
  end

  def answer(listener, name)
    client = listener&.accept_nonblock(exception: false)
    return unless client.is_a?(IO)

    client.write(name)
    client.close
  end

  # Who answers, once everybody sleeps.
  def ask(listener)
    eventually { @pids.all? { |pid| asleep?(pid) } }
    client = TCPSocket.new("127.0.0.1", listener.local_address.ip_port)
    BoundedWait.read(client).tap { @about_to_wait.readbyte }
  ensure
    client&.close
  end

  test "waiters that go last serve in turn" do
    rounds = Array.new(9) { ask(@listeners.first) }.each_slice(3).to_a

    assert_equal %w[0 1 2], rounds.first.sort
    assert_equal [rounds.first], rounds.uniq
  end

  test "they line up anew at every listener" do
    answers = Array.new(9) { |i| ask(@listeners[i % 2]) }

    assert_equal({ "0" => 3, "1" => 3, "2" => 3 }, answers.tally)
  end
end
