# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice/fork_safety/client_sockets"

# What becomes of the sockets that an application took over, in a process that is forked then.
class ClientSocketsTest < Coppice::TestCase
  ClientSockets = Coppice::ForkSafety::ClientSockets

  def setup
    @client, @socket = UNIXSocket.pair
    ClientSockets.note(@socket)
  end

  def teardown
    [@client, @socket].each(&:close)
  end

  # What the block answers in a copy of this process, which has let go of its sockets.
  def in_copy
    IO.popen("-") do |copy|
      next copy.read if copy

      ClientSockets.close_copies
      print yield
      $stdout.flush
      exit!
    end
  end

  test "the copy's object is closed, and the original goes on" do
    assert_equal "true", in_copy { @socket.closed? }

    @socket.write("still here")
    assert_equal "still here", BoundedWait.readable(@client).readpartial(100)
  end

  test "a duplicate of the descriptor reads as at its end, and tells the client nothing" do
    duplicate = @socket.dup
    assert_equal "[\"\", 3, true]", in_copy { [duplicate.read, duplicate.write("bye"), duplicate.close_on_exec?] }

    assert_equal :wait_readable, @client.read_nonblock(1, exception: false)
  ensure
    duplicate.close
  end

  test "no object is left that would close the number of a duplicate, which is the application's to close" do
    duplicate = @socket.dup
    owners = in_copy do
      ObjectSpace.each_object(IO).count { |io| !io.closed? && io.fileno == duplicate.fileno && io.autoclose? }
    end

    assert_equal "1", owners
  ensure
    duplicate.close
  end

  test "what was written to an object, and not yet sent, is sent once" do
    @socket.sync = false
    @socket.write("once")
    in_copy { @socket.closed? }
    @socket.close

    assert_equal "once", BoundedWait.read(@client)
  end

  test "other sockets are left alone, also when they have the number of one that is closed" do
    @socket.close
    other = UNIXSocket.pair

    assert_equal "true", in_copy { other.first.write("x") && other.last.readpartial(1) == "x" }
  ensure
    other.each(&:close)
  end

  test "a thread that waits at a socket does not keep its copy from being closed" do
    reading = Thread.new { @socket.read }
    eventually { reading.stop? }

    assert_equal "true", in_copy { @socket.closed? }
    @client.close
    assert_equal "", BoundedWait.value_of(reading)
  end

  test "sockets that are closed are forgotten, others are not" do
    kept = Array.new(100) { UNIXSocket.pair.each { |socket| ClientSockets.note(socket) } }.flatten
    1000.times { UNIXSocket.pair.each { |socket| ClientSockets.note(socket).close } }

    assert_includes kept.size..(4 * kept.size), ClientSockets.count
    assert_equal "true", in_copy { kept.all?(&:closed?) && @socket.closed? }
  ensure
    kept.each(&:close)
  end

  test "a system without worker processes, which may have no /proc, remembers none" do
    before = ClientSockets.count
    Coppice::OS.stub(:supervises?, false) { ClientSockets.note(@client) }

    assert_equal before, ClientSockets.count
  end
end
