# frozen_string_literal: true

require "support/lobby_test_case"

# A worker that some routes are not given to.
class LobbyHeirTest < Coppice::LobbyTestCase
  def play_with_heir(*routes, seats: 2, heir: 0)
    play(seats: seats)
    @lobby.tell("tell avoided-routes#{routes.map { |route| "|route #{route}" }.join}")
    @lobby.tell("tell heir #{heir}")
    settle_orders
  end

  # An order behind them has been obeyed.
  def settle_orders
    @lobby.tell("tell nonsense")
    @lobby.tell("await log")
  end

  # Connects, and returns which of the sleeping workers was woken.
  def woken_for(request, sleeping: [0, 1])
    sleeping.each { |seat| assert_equal "1", @lobby.tell("sleep #{seat}") }
    @client = @lobby.connect(request)
    Integer(@lobby.tell("woken"))
  end

  def request(path, method: "GET") = "#{method} #{path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"

  def serve(seat)
    @lobby.pop(seat)
    @lobby.answer("fine", seat: seat)
    assert_equal "fine", @lobby.read_response(@client).last
  end

  test "a request of such a route wakes another worker, and any other request wakes the heir first" do
    play_with_heir("POST /rooms/*/messages", heir: 1)
    assert_equal 0, woken_for(request("/rooms/12/messages", method: "POST"))
    assert_nil @lobby.try_pop(1)
    serve(0)
    assert_equal 1, woken_for(request("/rooms/12/messages"), sleeping: [0])
    serve(1)
  end

  test "where nobody else sleeps the heir is woken" do
    play_with_heir("GET /a")
    assert_equal 0, woken_for(request("/a"), sleeping: [0])
    assert_nil @lobby.try_pop(0)
    serve(1)
  end

  test "a template fits whole segments" do
    play_with_heir("GET /a/*", "GET /", "GET /x/*/y")
    fitting = %w[/a/1 /a/1?c=/d / /x/1/y]
    (fitting + %w[/a /a/ /a/b /a/1/c /b /x/1/z /x//y /x/1/y/]).each.with_index(1) do |path, count|
      @client = @lobby.connect(request(path))
      @lobby.await_counter(:requests, count)
      taken = @lobby.try_pop(0)
      assert_equal fitting.include?(path), taken.nil?, path
      taken ? finish(0) : serve(1)
    end
  end

  def finish(seat)
    @lobby.answer("fine", seat: seat)
    assert_equal "fine", @lobby.read_response(@client).last
  end

  test "without it, and without routes, all is as before" do
    play_with_heir("GET /a", heir: 1)
    @lobby.tell("gone 1 retry")
    @lobby.seat(1)
    assert_equal 1, woken_for(request("/a"), sleeping: [1])
    serve(1)
    @lobby.tell("tell heir 1")
    @lobby.tell("tell avoided-routes")
    settle_orders
    assert_equal 1, woken_for(request("/a"))
    serve(1)
  end

  test "a successor of the loop knows both" do
    play_with_heir("GET /a")
    settle
    Process.kill(:KILL, loop_pid)
    @lobby.await_counter(:takeovers, 1)
    @client = @lobby.connect(request("/a"))
    @lobby.await_counter(:requests, 1)
    assert_nil @lobby.try_pop(0)
    serve(1)
  end
end
