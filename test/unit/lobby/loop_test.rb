# frozen_string_literal: true

require "support/lobby_test_case"

# The lobby's loop (ext/coppice/lobby): heads of requests, and connections between them.
class LobbyLoopTest < Coppice::LobbyTestCase
  LONG = "a" * 20_000
  REFUSED = {
    "GET / HTTP/1.1\r\n\r\n" => 400, "GET /\n" => 400, "FETCH / HTTP/1.1\r\n" => 501,
    "GET /#{LONG} HTTP/1.1\r\n" => 414, "GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n" => 417,
    "GET / HTTP/1.1\r\nHost: a\r\nA: #{LONG * 6}" => 431, "GET / HTTP/3.0\r\n" => 505
  }.freeze

  test "a kept-alive connection is served again and again" do
    play
    client = @lobby.connect
    3.times { |number| assert_served(client, target: "/#{number}") }
    assert_equal 1, @lobby.counter(:accepted)
    @lobby.await_counter(:answered, 3)
  end

  test "a head that comes byte by byte is one request" do
    play
    client = @lobby.connect
    GET.each_char.with_index do |byte, index|
      client.write(byte)
      @lobby.await_counter(:bytes_in, index + 1)
    end
    assert_equal GET, @lobby.pop.bytes
    @lobby.answer("whole")
    assert_equal "whole", @lobby.read_response(client).last
  end

  test "a head that comes in two parts has its fields, wherever it is cut, and none of another request" do
    play
    heads = ["POST /a HTTP/1.1\r\nHost: one\r\nContent-Length: 2\r\n\r\nok",
             "POST /b HTTP/1.1\r\nX-A-Long-Name-Of-A-Header: v\r\nHost: two\r\nContent-Length: 4\r\n\r\nbody"]
    (1...heads.last.bytesize).each do |cut|
      heads.each { |head| assert_fields(head, [cut, head.bytesize - 1].min) }
    end
  end

  test "a head that does not fit into a small block moves to a large one" do
    play
    client = @lobby.connect
    head = "GET / HTTP/1.1\r\nHost: a\r\n#{(1..20).map { |number| "X-#{number}: #{"v" * 4000}\r\n" }.join}\r\n"
    client.write(head[0, 10_000])
    @lobby.await_counter(:bytes_in, 10_000)
    client.write(head[10_000..])
    assert_equal head, @lobby.pop.bytes
    @lobby.answer("whole")
    assert_equal "whole", @lobby.read_response(client).last
  end

  test "pipelined requests are queued one after the other" do
    play
    client = @lobby.connect((1..3).map { |number| "GET /#{number} HTTP/1.1\r\nHost: a\r\n\r\n" }.join)
    (1..3).each do |number|
      assert_equal "/#{number}", @lobby.pop.target
      assert_nil @lobby.try_pop
      @lobby.answer("answer #{number}")
      assert_equal "answer #{number}", @lobby.read_response(client).last
    end
  end

  test "more pipelined bytes than are read ahead wait in the kernel" do
    play
    requests = (1..2000).map { |number| "GET /#{number} HTTP/1.1\r\nHost: a\r\nX: #{"v" * 200}\r\n\r\n" }
    client = @lobby.connect
    sender = Thread.new { client.write(requests.join) }
    (1..2000).each do |number|
      assert_equal "/#{number}", @lobby.pop.target
      @lobby.answer("")
      assert @lobby.read_response(client)
    end
    BoundedWait.value_of(sender)
    assert_equal 0, @lobby.counter(:spoilt) # although the queue's cells were used again and again
  end

  test "a client that has closed its side is answered" do
    play
    client = @lobby.connect(GET)
    client.close_write
    @lobby.pop
    @lobby.answer("answer")
    assert_equal "answer", @lobby.read_response(client).last
    assert_nil @lobby.read_response(client)
    @lobby.await_counter(:connections, 0)
  end

  test "a client that closes in the middle of a head gets nothing" do
    play
    client = @lobby.connect(GET[0, 10])
    client.close_write
    assert_equal "", @lobby.read_all(client)
  end

  test "refuses what it cannot read, and the client sees why" do
    play
    REFUSED.each do |bytes, status|
      client = @lobby.connect(bytes)
      assert_refused(status, client)
      client.write("x" * 100_000) # and is still sending
      client.close_write
      assert_equal "", @lobby.read_all(client)
      assert_equal 1, @lobby.counter(:"refused_#{status}") unless status == 400
    end
    assert_equal 2, @lobby.counter(:refused_400)
    assert_equal 0, @lobby.counter(:requests)
  end

  test "a refusal behind good requests comes after their answers" do
    play
    client = @lobby.connect("#{GET}NONSENSE\r\n")
    @lobby.pop
    @lobby.answer("good")
    assert_equal "good", @lobby.read_response(client).last
    assert_refused(400, client)
  end

  test "a head that is not complete in time is refused" do
    play(accept: false, client_header_timeout_ms: 200)
    client = @lobby.connect("GET / HT")
    silent = @lobby.connect
    @lobby.tell("tell accept")
    assert_refused(408, client)
    assert_equal "", @lobby.read_all(silent)
  end

  test "an idle connection is closed after the timeout" do
    play(keepalive_timeout_ms: 200)
    client = @lobby.connect
    assert_served(client)
    assert_equal "", @lobby.read_all(client)
    @lobby.await_counter(:idle, 0)
  end

  test "trusted proxies may be idle for longer" do
    play(keepalive_timeout_ms: 100, trusted_proxies: "127.0.0.0/8")
    client = @lobby.connect
    3.times do
      assert_served(client)
      assert_nil client.wait_readable(0.3)
    end
  end

  test "clients of a Unix socket are trusted proxies" do
    play(unix: true, keepalive_timeout_ms: 0, queue_timeout_ms: 120_000)
    client = @lobby.connect
    2.times { assert_served(client) }
    started = Process.clock_gettime(Process::CLOCK_REALTIME, :second) - 130
    client.write("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Start: t=#{started}\r\n\r\n")
    assert_refused(503, client)
  end

  test "a client that wants no more is not kept" do
    play
    client = @lobby.connect("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    refute_predicate @lobby.pop, :keep?
    @lobby.answer("last", keep: false)
    assert_match(/last\z/, @lobby.read_all(client))
  end

  test "a client that has pipelined a request gets the last answer whole" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    client.write(GET)
    @lobby.answer("last", keep: false)
    assert_match(/last\z/, @lobby.read_all(client))
  end

  test "an interim answer goes before the answer" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.record(Coppice::LobbyPlay::HINTS, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
    @lobby.publish
    assert_match(/103/, @lobby.read_response(client).first)
    @lobby.answer("answer")
    assert_equal "answer", @lobby.read_response(client).last
  end

  test "the end of a client that waits takes its request back" do
    play(seats: 0)
    client = @lobby.connect(GET)
    @lobby.await_counter(:requests, 1)
    @lobby.reset(client)
    @lobby.await_counter(:client_gone, 1)
    @lobby.seat(0)
    assert_nil @lobby.try_pop
    assert_all_released
  end

  test "the worker learns that its client is gone, and its answer is dropped" do
    play
    client = @lobby.connect(GET)
    @lobby.pop
    @lobby.reset(client)
    @lobby.await_counter(:client_gone, 1)
    assert_equal "1", @lobby.tell("client_gone 0")
    @lobby.answer("for nobody")
    assert_all_released
  end

  test "connections beyond the limit take the place of idle ones, or are turned away" do
    play(max_connections: 2)
    idle = @lobby.connect
    assert_served(idle)
    busy = @lobby.connect(GET)
    @lobby.pop
    other = @lobby.connect(GET)
    assert_equal "", @lobby.read_all(idle)
    @lobby.await_counter(:requests, 3)
    assert_match(/ 503 .*retry-after: [3-7]\r\n/m, @lobby.read_all(@lobby.connect))
    assert_equal [1, 1], [@lobby.counter(:evicted), @lobby.counter(:shed_max_connections)]
    @lobby.answer("first")
    assert_equal "first", @lobby.read_response(busy).last
    @lobby.pop
    @lobby.answer("second")
    assert_equal "second", @lobby.read_response(other).last
  end

  test "a client has no more connections than it may" do
    play(max_connections_per_client: 2)
    clients = Array.new(2) { @lobby.connect }
    clients.each { |client| assert_served(client) }
    assert_refused(503, refused = @lobby.connect)
    [clients.first, refused].each(&:close)
    @lobby.await_counter(:connections, 1)
    assert_served(@lobby.connect)
  end

  test "without descriptors idle connections go first, then newcomers are turned away" do
    play(descriptors: 32)
    idle = @lobby.connect
    assert_served(idle)
    silent = Array.new(40) { @lobby.connect }
    assert_equal "", @lobby.read_all(idle)
    assert_match(/ 503 /, @lobby.read_all(silent.last))
    assert_operator @lobby.counter(:shed_max_connections), :>, 5
    silent.each(&:close)
    @lobby.await_counter(:connections, 0)
    assert_served(@lobby.connect)
  end

  test "files and seats still come when no descriptor is left" do
    play(descriptors: 32)
    clients = queue_clients(2)
    silent = Array.new(40) { @lobby.connect }
    assert_match(/ 503 /, @lobby.read_all(silent.last))
    @lobby.pop(0)
    @lobby.head(File.size(__FILE__))
    @lobby.tell("file 0 #{__FILE__} 0 #{File.size(__FILE__)}")
    @lobby.finish
    assert_equal File.binread(__FILE__), @lobby.read_response(clients[0]).last
    @lobby.seat(1)
    @lobby.pop(1)
    @lobby.answer("on the new seat", seat: 1)
    assert_equal "on the new seat", @lobby.read_response(clients[1]).last
    assert_equal 0, @lobby.counter(:spoilt)
  end

  test "idle connections are closed for a seat when no descriptor is left" do
    play(descriptors: 32)
    clients = Array.new(40) { @lobby.connect }
    assert_match(/ 503 /, @lobby.read_all(clients.last))
    @lobby.seat(1) # in the place of the spare descriptors, and nobody is idle
    clients.first(3).each { |client| assert_served(client) }
    @lobby.seat(2)
    assert_served(clients[3], seat: 2)
    assert_equal 3, @lobby.counter(:evicted)
  end

  private

  # The fields that the lobby finds in this request, whose client pauses behind `cut` bytes.
  def assert_fields(request, cut)
    client = @lobby.connect
    before = @lobby.counter(:bytes_in)
    client.write(request[0, cut])
    @lobby.await_counter(:bytes_in, before + cut)
    client.write(request[cut..])
    taken = @lobby.pop
    expected = request.split("\r\n\r\n").first.lines(chomp: true).drop(1).map { |line| line.split(": ", 2) }

    assert_equal [request, expected], [taken.bytes, taken.fields], "cut behind #{cut} bytes"
    @lobby.answer("", keep: false)
    @lobby.read_all(client)
  end
end
