# frozen_string_literal: true

require "support/lobby_test_case"

# Clients whose handshakes are for a service. Seat 1 plays the service: it has no worker.
class LobbyHandshakesTest < Coppice::LobbyTestCase
  SERVICE = 1
  IN_FRONT = 16
  LINE = "127.0.0.1 0 "
  ID_BYTES = 36

  def handshake(target = "/cable", method: "GET", version: "1.1", key: "dGhlIHNhbXBsZSBub25jZQ==", **others)
    fields = { "Host" => "a", "Upgrade" => "WebSocket", "Connection" => "keep-alive, Upgrade",
               "Sec-WebSocket-Version" => "13", "Sec-WebSocket-Key" => key, **others }
    "#{method} #{target} HTTP/#{version}\r\n#{fields.map { |field| "#{field.join(": ")}\r\n" }.join}\r\n"
  end

  def play_with_service
    play(seats: 2)
    @lobby.tell("handshakes #{SERVICE} /cable")
  end

  def play_with_dying_loop
    play(seats: 2, program: Coppice::LobbyPlay::DYING_LOOP)
    @lobby.tell("handshakes #{SERVICE} /cable")
  end

  # What came to the service, without the bytes in front that `take` does not show.
  def passed
    _, descriptors, bytes = @lobby.tell("take #{SERVICE}").split
    assert_equal "1", descriptors
    [bytes].pack("H*")
  end

  test "the client of a handshake is the service's from then on" do
    play_with_service
    client = @lobby.connect(handshake)
    line, request = passed.split("\n", 2)
    assert_equal (LINE + "_" * ID_BYTES).byteslice(IN_FRONT..).size, line.size
    assert_equal handshake, request
    @lobby.await_counter(:connections, 0)
    @lobby.tell("write #{SERVICE} #{"HTTP/1.1 101".unpack1("H*")}")
    assert_equal "HTTP/1.1 101", @lobby.read_all(client)
    assert_equal [1, 0], [@lobby.counter(:handshakes), @lobby.counter(:requests)]
  end

  test "its own ID stays the only one" do
    play_with_service
    @lobby.connect(handshake("X-Request-Id" => "mine"))
    assert_equal "#{LINE}\n#{handshake("X-Request-Id" => "mine")}".byteslice(IN_FRONT..), passed
  end

  test "so are the bytes that came with it" do
    play_with_service
    @lobby.connect("#{handshake("/cable/a?b=c")}frames")
    assert_match(%r{cable/a\?b=c HTTP.*\r\n\r\nframes\z}m, passed)
  end

  test "a handshake that comes in pieces, and one behind another request, are passed as well" do
    play_with_service
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.answer("fine")
    @lobby.read_response(client)
    client.write(handshake[0, 50])
    @lobby.await_counter(:bytes_in, GET.bytesize + 50)
    client.write(handshake[50..])
    assert_includes passed, "Sec-WebSocket-Key"
  end

  test "what is no handshake of that path goes to a worker" do
    play_with_service
    [handshake("/cables"), handshake("/"), handshake("/%63able"), handshake("/a/cable"), handshake(method: "HEAD"),
     handshake(key: "short"), handshake("Upgrade" => "h2c"), handshake("Sec-WebSocket-Version" => "8"),
     handshake("Connection" => "keep-alive"), handshake(version: "1.0"),
     "GET /cable HTTP/1.1\r\nHost: a\r\n\r\n"].each do |request|
      @lobby.connect(request)
      assert_equal request, @lobby.pop.bytes
    end
    assert_equal 0, @lobby.counter(:handshakes)
  end

  test "without the service its clients get 503 at once" do
    play_with_service
    @lobby.tell("tell handshakes /cable")
    assert_includes assert_refused(503, @lobby.connect(handshake)), "retry-after: "
    @lobby.tell("handshakes #{SERVICE} /cable")
    @lobby.tell("tell hold-handshakes 1")
    @lobby.tell("tell nonsense")
    @lobby.tell("await log")
    assert_refused(503, @lobby.connect(handshake))
    assert_equal 2, @lobby.counter(:shed_handshakes)
  end

  test "as many wait for it as its socket takes" do
    play(seats: 2)
    @lobby.tell("narrow #{SERVICE}")
    @lobby.tell("handshakes #{SERVICE} /cable")
    passed = 0
    passed += 1 while pass?
    assert_operator passed, :>=, 1
    assert_equal passed, @lobby.counter(:handshakes)
  end

  # Whether the service's socket has taken one more.
  def pass?
    connections = @lobby.counter(:handshakes) + @lobby.counter(:shed_handshakes)
    @lobby.connect(handshake)
    BoundedWait.wait(60, -> { "no handshake was counted" }, interval: 0) do
      @lobby.counter(:handshakes) + @lobby.counter(:shed_handshakes) > connections
    end
    @lobby.counter(:shed_handshakes).zero?
  end

  test "a client that was passed as the loop died is the service's, and ends as it says" do
    play_with_dying_loop
    client = @lobby.connect(handshake)
    assert_includes passed, "Sec-WebSocket-Key"
    assert_equal "ready", @lobby.tell("await ready")
    @lobby.tell("write #{SERVICE} #{"HTTP/1.1 101".unpack1("H*")}")
    assert_equal "HTTP/1.1 101", @lobby.read_all(client)
    @lobby.await_counter(:connections, 0)
  end

  test "one that was not passed yet has the end of its connection" do
    play_with_dying_loop
    client = @lobby.connect(handshake("X-Die" => "before"))
    assert_includes ["", :reset], @lobby.read_all(client)
    assert_equal "ready", @lobby.tell("await ready")
    @lobby.await_counter(:connections, 0)
  end

  test "a successor of the loop knows the service" do
    play_with_service
    settle
    Process.kill(:KILL, loop_pid)
    @lobby.await_counter(:takeovers, 1)
    @lobby.connect(handshake)
    assert_includes passed, "Sec-WebSocket-Key"
  end
end
