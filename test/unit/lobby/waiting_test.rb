# frozen_string_literal: true

require "support/lobby_test_case"

# Requests that wait: how many may, for how long, who is woken for them, and what becomes of them in a spoilt queue.
class LobbyWaitingTest < Coppice::LobbyTestCase
  test "more requests than may wait are turned away" do
    play(seats: 0, max_waiting: 2)
    waiting = queue_clients(2)
    @lobby.await_counter(:full, 1)
    assert_match(/^retry-after: [3-7]\r$/, assert_refused(503, @lobby.connect(GET)))
    @lobby.reset(waiting.pop)
    @lobby.await_counter(:full, 0)
    waiting << @lobby.connect(GET)
    @lobby.await_counter(:requests, 3)
    @lobby.seat(0)
    waiting.each do |client|
      @lobby.pop
      @lobby.answer("at last")
      assert_equal "at last", @lobby.read_response(client).last
    end
  end

  test "the page for a HEAD request that is turned away is a head alone" do
    play(seats: 0, max_waiting: 0)
    assert_head_alone(@lobby.connect("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"))
    @lobby.quit
    play(seats: 0, queue_timeout_ms: 10_000, trusted_proxies: "127.0.0.1")
    started = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) - 11_000
    assert_head_alone(@lobby.connect("HEAD / HTTP/1.1\r\nHost: a\r\nX-Request-Start: t=#{started}\r\n\r\n"))
    assert_equal [0, 1], [@lobby.counter(:requests), @lobby.counter(:shed_queue_timeout)]
  end

  test "requests that free workers are about to take do not count as waiting" do
    { 0 => 3, 2 => 5 }.each do |max_waiting, most|
      @lobby&.quit
      play(seats: 3, max_waiting: max_waiting)
      client = queue_clients(most).first # no worker has taken one yet
      assert_refused(503, @lobby.connect(GET))
      3.times { |number| @lobby.pop(number) }
      assert_refused(503, @lobby.connect(GET))
      @lobby.answer("served")
      assert_equal "served", @lobby.read_response(client).last
      queue_clients(1)
    end
  end

  test "requests beyond all slots are turned away" do
    play(seats: 1, slots: 3, max_waiting: 100)
    clients = queue_clients(3)
    assert_refused(503, @lobby.connect(GET))
    clients.each do |client|
      @lobby.pop
      @lobby.answer("fine")
      assert_equal "fine", @lobby.read_response(client).last
    end
  end

  test "clients that come and go while all workers hang do not fill the queue" do
    play(max_waiting: 10)
    hanging = @lobby.connect(GET)
    @lobby.pop
    7.times do |number| # more in all than the queue has cells
      clients = Array.new(10) { @lobby.connect(GET) }
      @lobby.await_counter(:requests, (number * 10) + 11)
      clients.each { |client| @lobby.reset(client) }
      @lobby.await_counter(:client_gone, (number * 10) + 10)
    end
    @lobby.answer("at last")
    assert_equal "at last", @lobby.read_response(hanging).last
    assert_served(hanging)
  end

  test "a request that no worker takes in time is taken back" do
    play(seats: 0, queue_timeout_ms: 200)
    assert_match(/^retry-after: [3-7]\r$/, assert_refused(503, @lobby.connect(GET)))
    @lobby.seat(0)
    assert_nil @lobby.try_pop
    assert_equal 1, @lobby.counter(:shed_queue_timeout)
  end

  test "a request that is waiting again, as its worker was lost, waits no longer than others" do
    play(queue_timeout_ms: 500)
    client = connect_and_take
    before = @lobby.counter(:shed_queue_timeout)
    assert_refused(503, @lobby.connect(GET)) # by now the first would have been turned away as well
    @lobby.tell("gone 0 retry")
    assert_refused(503, client)
    assert_equal [1, before + 2], [@lobby.counter(:retried), @lobby.counter(:shed_queue_timeout)]
  end

  test "a request that has waited too long at a trusted proxy is turned away" do
    started = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) - 11_000
    late = "GET /late HTTP/1.1\r\nHost: a\r\nX-Request-Start: t=#{started}\r\n\r\n"
    { "127.0.0.1" => true, "192.0.2.1" => false }.each do |trusted, refused|
      @lobby&.quit
      play(queue_timeout_ms: 10_000, trusted_proxies: trusted)
      connect_and_take
      client = @lobby.connect(late)
      assert_refused(503, client) if refused
      @lobby.await_counter(refused ? :shed_queue_timeout : :requests, refused ? 1 : 2)
    end
  end

  test "a free worker serves a request that has waited long at a trusted proxy" do
    play(queue_timeout_ms: 10_000, trusted_proxies: "127.0.0.1")
    assert_equal "1", @lobby.tell("sleep 0")
    started = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) - 11_000
    client = @lobby.connect("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Start: t=#{started}\r\n\r\n")
    @lobby.pop
    @lobby.answer("served")
    assert_equal "served", @lobby.read_response(client).last
  end

  # At a proxy that sends each part on as it comes. That it is counted says that it was not turned away.
  test "the time of an upload is no waiting at a trusted proxy" do
    play(seats: 0, queue_timeout_ms: 10_000, trusted_proxies: "127.0.0.1")
    client = @lobby.connect("POST / HTTP/1.1\r\n")
    assert_nil client.wait_readable(3)
    started = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond) - 10_500
    client.write("Host: a\r\nContent-Length: 2\r\nX-Request-Start: t=#{started}\r\n\r\n12")
    @lobby.await_counter(:requests, 1)
  end

  test "a request that was taken in time is not taken back" do
    play(queue_timeout_ms: 200)
    client = connect_and_take
    assert_nil client.wait_readable(0.5)
    @lobby.answer("slow")
    assert_equal "slow", @lobby.read_response(client).last
  end

  test "the queue is made again when a process has written into it" do
    5.times do |kind|
      @lobby&.quit
      play(seats: 0)
      clients = [@lobby.connect(GET)]
      @lobby.await_counter(:requests, 1)
      @lobby.tell("scribble #{kind}")
      assert_refused(502, clients.pop) if kind >= 3 # nobody can say whether it was taken
      @lobby.await_counter(:spoilt, 1)
      clients << @lobby.connect(GET)
      @lobby.seat(0)
      clients.each do |client|
        @lobby.pop
        @lobby.answer("fine")
        assert_equal "fine", @lobby.read_response(client).last
      end
    end
  end

  test "the lowest worker is woken; accept_order_fair: the one that has rested for longest" do
    { 0 => [0, 0, 0, 0], 1 => [0, 1, 2, 0] }.each do |fair, expected|
      @lobby&.quit
      play(seats: 3, accept_order_fair: fair)
      client = @lobby.connect
      3.times { |number| @lobby.tell("sleep #{number}") }
      woken = Array.new(4) { serve_woken(client) }
      assert_equal expected, woken
    end
  end

  private

  def assert_head_alone(client)
    response = @lobby.read_all(client)
    assert_match(%r{\AHTTP/1.1 503 .*^content-length: \d\d\r$}m, response)
    assert_equal "", response.split("\r\n\r\n", 2).last
  end

  # A client whose request a worker has taken in time. On a busy machine some are turned away before.
  def connect_and_take
    loop do
      client = @lobby.connect(GET)
      return client if eventually { @lobby.try_pop || (client.wait_readable(0) && :turned_away) } != :turned_away
    end
  end

  # The number of the worker that was woken for the client's request, and sleeps again.
  def serve_woken(client)
    client.write(GET)
    number = Integer(@lobby.tell("woken"))
    assert @lobby.try_pop(number)
    @lobby.answer("", seat: number)
    assert @lobby.read_response(client)
    assert_equal "1", @lobby.tell("sleep #{number}")
    number
  end
end
