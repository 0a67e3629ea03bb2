# frozen_string_literal: true

require "support/lobby_test_case"

# The order in which requests that wait are given to workers, and which of them others come before.
class LobbyFairQueueTest < Coppice::LobbyTestCase
  PROXY = "127.0.0.1"

  def get(path, client: nil)
    "GET #{path} HTTP/1.1\r\nHost: a\r\n#{"X-Forwarded-For: #{client}\r\n" if client}\r\n"
  end

  # Sends requests one after the other, each on a connection of its own.
  def wait_in_line(*requests)
    before = @lobby.counter(:requests)
    requests.map.with_index(1) do |request, count|
      @lobby.connect(request).tap { @lobby.await_counter(:requests, before + count) }
    end
  end

  # Serves so many, and returns what they asked for.
  def serve(count, seat: 0)
    Array.new(count) do
      target = @lobby.pop(seat).target
      @lobby.answer("fine", seat: seat)
      target
    end
  end

  # One request of a route runs for long, others of it wait, and those of another route are quick and come all the time.
  def play_with_slow_route(seats: 4, **settings)
    play(seats: seats, **settings)
    learn_quick
    @lobby.connect(get("/slow/0"))
    @lobby.pop
    @lobby.tell("deadline 0 0 #{Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond) + 1}")
    (1...seats).each { |seat| @lobby.tell("sleep #{seat}") }
    wait_in_line(*Array.new(6) { |number| get("/slow/#{number}") })
  end

  # Answers that were begun at once. Five make a route known.
  def learn_quick
    6.times do
      client = @lobby.connect(get("/quick"))
      @lobby.pop
      @lobby.head(0)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)
      @lobby.record(Coppice::LobbyPlay::ENDED, [started].pack("q"), flags: Coppice::LobbyPlay::WHOLE)
      @lobby.publish
      assert @lobby.read_response(client)
    end
  end

  test "a client that sends many requests waits for itself" do
    play(trusted_proxies: PROXY)
    eager = Array.new(8) { |number| get("/eager#{number}", client: "192.0.2.1") }
    quiet = Array.new(2) { |number| get("/quiet#{number}", client: "192.0.2.#{number + 2}") }
    wait_in_line(*eager, *quiet)

    served = serve(10)
    assert_equal %w[/quiet0 /quiet1], served.first(4).grep(/quiet/)
    assert_equal eager.size, served.grep(/eager/).size
    assert_equal served.grep(/eager/).sort, served.grep(/eager/)
  end

  test "where no more may wait, a client with many requests gives way to others" do
    play(seats: 0, trusted_proxies: PROXY, max_waiting: 4)
    eager = wait_in_line(*Array.new(4) { |number| get("/eager#{number}", client: "192.0.2.1") })
    quiet = @lobby.connect(get("/quiet", client: "192.0.2.2"))
    assert_refused(503, eager.pop)
    assert_refused(503, @lobby.connect(get("/eager", client: "192.0.2.1")))
    @lobby.seat(0)
    assert_includes serve(4), "/quiet"
    [*eager, quiet].each { |client| assert_equal "fine", @lobby.read_response(client).last }
    assert_equal 2, @lobby.counter(:shed_max_waiting)
  end

  test "who has waited too long already at the proxy takes nobody's place" do
    play(seats: 0, trusted_proxies: PROXY, max_waiting: 4, queue_timeout_ms: 60_000)
    eager = wait_in_line(*Array.new(4) { |number| get("/eager#{number}", client: "192.0.2.1") })
    late = get("/late", client: "192.0.2.2").sub("Host", "X-Request-Start: t=#{Time.now.to_f - 120}\r\nHost")

    assert_refused(503, @lobby.connect(late))
    @lobby.seat(0)
    assert_equal 4.times.map { |number| "/eager#{number}" }, serve(4)
    eager.each { |client| assert_equal "fine", @lobby.read_response(client).last }
  end

  test "clients of one network of 64 bits count as one" do
    play(trusted_proxies: PROXY)
    eager = Array.new(6) { |number| get("/eager", client: "2001:db8::#{number + 1}") }
    wait_in_line(*eager, get("/quiet", client: "2001:db8:0:1::1"))

    assert_includes serve(3), "/quiet"
  end

  test "requests of a slow route leave a worker to others" do
    slow = play_with_slow_route
    @lobby.await_counter(:held_back, 4) # three workers may have the others
    wait_in_line(get("/quick"))
    assert_equal %w[/slow/0 /slow/1 /quick], Array.new(3) { |seat| @lobby.pop(seat + 1).target }
    assert_nil @lobby.try_pop
    @lobby.reset(slow.last)
    @lobby.await_counter(:held_back, 3)
    assert_equal 3, @lobby.counter(:waiting)
  end

  test "a request that is held back is refused when it has waited too long" do
    slow = play_with_slow_route(queue_timeout_ms: 2000)
    slow.last(4).reverse_each { |client| assert_refused(503, client) }
    assert_match(/ others come first\|route/, @lobby.tell("await log"))
    assert_match(/ no longer wait\|.*refused [4-6]\z/, @lobby.tell("await log"))
  end

  test "two workers keep nothing free for others, and nobody is told that they do" do
    slow = play_with_slow_route(seats: 2, queue_timeout_ms: 2000)
    assert_refused(503, slow.last)
    @lobby.tell("tell nonsense")

    assert_match(/ unknown packet: nonsense/, @lobby.tell("await log"))
  end

  test "a worker that falls asleep is woken for what waits, also where another one has emptied the queue" do
    play(seats: 2)
    wait_in_line(*Array.new(3) { get("/") })
    eventually { @lobby.tell("lobby_state") == "2" } # there is room for two, and nobody sleeps
    2.times { @lobby.pop(0) }

    assert_equal "1", @lobby.tell("sleep 1")
    assert_equal "1", @lobby.tell("woken")
    assert_equal "/", @lobby.pop(1).target
    eventually { @lobby.tell("lobby_state") == "1" }
  end

  test "a successor of the loop knows who waits" do
    play
    clients = wait_in_line(*Array.new(8) { |number| get("/#{number}") })
    Process.kill(:KILL, Integer(@lobby.tell("loop_pid")))
    @lobby.await_counter(:takeovers, 1)
    assert_equal Array.new(8) { |number| "/#{number}" }, serve(8).sort
    clients.each { |client| assert_equal "fine", @lobby.read_response(client).last }
  end
end
