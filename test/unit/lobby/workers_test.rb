# frozen_string_literal: true

require "support/lobby_test_case"

# What becomes of requests whose workers die, hang or write nonsense.
class LobbyWorkersTest < Coppice::LobbyTestCase
  POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"

  test "a worker that dies before its answer loses nothing" do
    play(seats: 2)
    client = @lobby.connect(GET)
    first = @lobby.pop(0)
    refute_predicate first, :retried?
    @lobby.tell("gone 0 retry")
    again = @lobby.pop(1)
    assert_equal [first.bytes, true], [again.bytes, again.retried?]
    @lobby.answer("from the other", seat: 1)
    assert_equal "from the other", @lobby.read_response(client).last
    assert_served(client, seat: 1)
    assert_equal [1, 0], [@lobby.counter(:retried), @lobby.counter(:lost_502)]
  end

  test "a request is repeated once" do
    play(seats: 2)
    client = @lobby.connect(GET)
    2.times do |seat|
      @lobby.pop(seat)
      @lobby.tell("gone #{seat} retry")
    end
    assert_refused(502, client)
  end

  test "a client that a worker has asked for before it died is answered by the next one" do
    play(seats: 2)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.pop(0)
    left = 10_000_000 # bytes of early hints, more than the kernel takes
    @lobby.tell("fill 0 #{left} #{Coppice::LobbyPlay::HINTS}")
    @lobby.tell("ask 0 #{Coppice::LobbyPlay::ASK_CLIENT}")
    @lobby.tell("gone 0 retry")
    @lobby.pop(1)
    left -= @lobby.read_some(client, [left, 65_536].min).bytesize while left.positive?
    @lobby.answer("from the other", seat: 1)
    assert_equal "from the other", @lobby.read_response(client)&.last
  end

  test "what may not be repeated is lost" do
    { POST => "gone 0 retry", GET => "gone 0 lost", "GET /a HTTP/1.1\r\nHost: a\r\n\r\n" => "gone 0 lost timeout" }
      .zip([502, 502, 504]) do |(request, gone), status|
      @lobby&.quit
      play(seats: 2)
      client = @lobby.connect(request)
      @lobby.pop(0)
      @lobby.tell(gone)
      assert_refused(status, client)
      assert_served(@lobby.connect, seat: 1)
    end
  end

  test "without the option nothing is repeated" do
    play(retry_lost_requests: 0)
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.tell("gone 0 retry")
    assert_refused(502, client)
  end

  test "an answer that a worker has published before its death arrives" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.head(5)
    @lobby.record(Coppice::LobbyPlay::DATA, "whole")
    @lobby.finish
    @lobby.tell("gone 0 retry")
    assert_equal "whole", @lobby.read_response(client).last
    @lobby.seat(1)
    assert_served(client, seat: 1)
  end

  test "a large answer that a worker has published before its death arrives at a slow reader" do
    play(response_buffer: 1000, buffer_disk_limit: 0)
    client = @lobby.connect(GET, receive_buffer: 4096)
    @lobby.answer_large(230_000)
    @lobby.tell("gone 0 retry")
    assert_equal 230_000, @lobby.read_response(client).last.bytesize
  end

  test "an answer that breaks off is cut so that the client can tell" do
    { true => "part", false => :reset }.each do |keep, expected|
      @lobby&.quit
      play
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.head(100, keep: keep)
      @lobby.record(Coppice::LobbyPlay::DATA, "part")
      @lobby.publish
      @lobby.await_counter(:bytes_out, keep ? 44 : 63)
      @lobby.tell("gone 0 retry")
      all = @lobby.read_all(client)
      assert_equal expected, all == :reset ? all : all[-4..]
    end
  end

  test "the death of a worker that has no request disturbs nobody" do
    play(seats: 2)
    @lobby.tell("gone 1 retry")
    assert_served(@lobby.connect)
    @lobby.seat(1)
    client = @lobby.connect(GET)
    @lobby.pop(1)
    @lobby.answer("fine", seat: 1)
    assert_equal "fine", @lobby.read_response(client).last
  end

  test "a worker whose seat came without its descriptors loses its requests when it is gone" do
    play(slots: 1)
    { POST => nil, GET => "again" }.each_with_index do |(request, expected), number|
      @lobby.tell("lost_seat #{number + 1} #{number}")
      assert_match(/ error no descriptor .*\|seat #{number + 1}\|slot #{number + 1}\z/, @lobby.tell("await log"))
      client = @lobby.connect(request)
      @lobby.await_counter(:requests, number + 1) # the lobby wakes no worker whose answers it cannot read
      @lobby.pop(number + 1)
      @lobby.tell("gone #{number + 1} retry")
      next assert_refused(502, client) unless expected

      assert_predicate @lobby.pop(0), :retried?
      @lobby.answer(expected)
      assert_equal expected, @lobby.read_response(client).last
    end
    assert_all_released
  end

  test "the monitor is told which seat came without its descriptors until its worker is gone" do
    play
    @lobby.tell("lost_seat 1 2")
    2.times { assert_equal "lost 1", @lobby.tell("await lost") }
    Process.kill(:KILL, Integer(@lobby.tell("loop_pid")))
    @lobby.tell("await ready")
    assert_equal "lost 1", @lobby.tell("await lost")
    @lobby.tell("gone 1 retry")
    assert_served(@lobby.connect)
  end

  test "a seat that came without its descriptors keeps nobody waiting when the monitor is gone" do
    play(seats: 0)
    @lobby.tell("lost_seat 0 0")
    client = @lobby.connect(GET)
    @lobby.await_counter(:requests, 1)
    @lobby.pop(0)
    @lobby.tell("hang_up")
    assert_refused(503, client)
  end

  test "a request that nobody has taken waits for the next worker" do
    play(seats: 0)
    client = @lobby.connect(GET)
    @lobby.await_counter(:requests, 1)
    @lobby.seat(3)
    @lobby.pop(3)
    @lobby.answer("at last", seat: 3)
    assert_equal "at last", @lobby.read_response(client).last
  end

  test "a seat that is told twice is the same" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.tell("seat_again 0 3")
    @lobby.tell("seat_again 0 0") # no descriptor was left for those of a seat that the lobby has
    @lobby.answer("same")
    assert_equal "same", @lobby.read_response(client).last
    assert_served(client)
  end

  test "a spoilt ring costs its own request" do
    play(seats: 2)
    client = @lobby.connect(GET)
    @lobby.pop(0)
    @lobby.tell("spoil 0")
    assert_refused(502, client)
    assert_match(/\Alog error answer ring spoilt\|seat 0\|/, @lobby.tell("await log error"))
    assert_served(@lobby.connect, seat: 1)
    @lobby.tell("gone 0 retry")
    assert_served(@lobby.connect, seat: 1)
  end

  test "the monitor is told which seat is spoilt until its worker is gone" do
    play(seats: 2)
    client = @lobby.connect(GET)
    @lobby.pop(1)
    @lobby.tell("spoil 1")
    assert_refused(502, client)
    2.times { assert_equal "spoilt 1", @lobby.tell("await spoilt") }
    @lobby.tell("gone 1 lost spoilt_ring")
    assert_served(@lobby.connect)
  end

  test "records in an order that makes no sense spoil the ring" do
    records = { "data before the head" => [Coppice::LobbyPlay::DATA, 0], "status" => [Coppice::LobbyPlay::HEAD, 7],
                "a file without a head" => [Coppice::LobbyPlay::FILE, 0], "type" => [77, 0] }
    records.each do |name, (type, status)|
      @lobby&.quit
      play
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.record(type, "x", status: status)
      @lobby.publish
      assert_refused(502, client)
      assert_equal 1, @lobby.counter(:spoilt), name
    end
  end

  test "a file that could not be received costs its own answer" do
    { true => "", false => :reset }.each do |keep, rest|
      @lobby&.quit
      play
      client = @lobby.connect(GET)
      @lobby.pop
      @lobby.head(4, keep: keep)
      @lobby.tell("ask 0 #{Coppice::LobbyPlay::FILE}") # its packet, without a descriptor
      @lobby.record(Coppice::LobbyPlay::FILE, [0, 4].pack("QQ"))
      @lobby.finish
      all = @lobby.read_all(client)
      assert_equal rest, all == :reset ? all : all.split("\r\n\r\n", 2).last
      assert_all_released
      assert_equal 0, @lobby.counter(:spoilt)
    end
  end

  test "what is written for a client that is gone spoils nothing" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.reset(client)
    @lobby.await_counter(:client_gone, 1)
    @lobby.record(Coppice::LobbyPlay::DATA, "part of what a dead loop has read")
    @lobby.finish
    assert_all_released
    assert_equal 0, @lobby.counter(:spoilt)
  end

  test "records of other requests are dropped" do
    play(seats: 2)
    client = @lobby.connect(GET)
    taken = @lobby.pop(0)
    [taken.serial, taken.serial + 1, taken.serial ^ 1, 7].each do |serial|
      @lobby.record(Coppice::LobbyPlay::HEAD, "HTTP/1.1 200 OK\r\n\r\n", seat: 1, status: 200, serial: serial)
      @lobby.record(Coppice::LobbyPlay::ENDED, seat: 1, flags: Coppice::LobbyPlay::WHOLE, serial: serial)
    end
    @lobby.publish(1)
    @lobby.answer("its own", seat: 0)
    assert_equal "its own", @lobby.read_response(client).last
    assert_equal 0, @lobby.counter(:spoilt)
  end

  test "the lobby answers in the place of a worker that is past its deadline" do
    play(seats: 2)
    client = @lobby.connect(GET)
    @lobby.pop(0)
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
    @lobby.tell("deadline 0 #{now} #{now + 1}")
    assert_refused(504, client)
    @lobby.answer("too late", seat: 0)
    @lobby.tell("deadline 0 0 0")
    assert_served(@lobby.connect, seat: 0)
    assert_equal 1, @lobby.counter(:expired_504)
  end

  test "an earlier request's deadline is not this one's" do
    play
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
    @lobby.tell("deadline 0 #{now - 1000} #{now - 2000}")
    client = @lobby.connect(GET)
    @lobby.pop
    assert_nil client.wait_readable(0.6)
    @lobby.answer("in time")
    assert_equal "in time", @lobby.read_response(client).last
  end
end
