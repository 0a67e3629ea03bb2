# frozen_string_literal: true

require "json"
require "support/lobby_test_case"
require "support/proxy_headers"

# What the lobby tells of clients: the PROXY header before them, request IDs and access log behind them.
class LobbyProxiedTest < Coppice::LobbyTestCase
  ProxyHeaders = Coppice::ProxyHeaders
  PROXY = "PROXY TCP4 192.0.2.7 198.51.100.1 4711 80\r\n"
  FORWARDED = GET.sub("\r\n\r\n", "\r\nX-Forwarded-For: 192.0.2.9, 192.0.2.1\r\n\r\n")

  test "a PROXY header names the client, however it comes" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0", access_log: "json", trusted_proxies: "127.0.0.1",
         max_connections_per_client: 1)
    client = @lobby.connect(PROXY + GET)
    assert_equal GET, @lobby.pop.bytes
    @lobby.answer("whole")
    assert_equal "whole", @lobby.read_response(client).last
    assert_equal "192.0.2.7", logged["client"]
    assert_served(client) # no header before the next one
    assert_refused(503, @lobby.connect(PROXY + GET))
    before = @lobby.counter(:bytes_in)
    split = @lobby.connect
    "#{PROXY.sub("192.0.2.7", "192.0.2.8")}#{GET}".each_char.with_index(before + 1) do |byte, count|
      split.write(byte)
      @lobby.await_counter(:bytes_in, count)
    end
    assert_equal GET, @lobby.pop.bytes
  end

  test "what a PROXY header says of TLS counts for more than the listener" do
    play(listener: "0 proxy_protocol 1 https 1 borrowed 0")
    headers = [ProxyHeaders.tls(0), ProxyHeaders.tls, ""].map { |tls| ProxyHeaders.version2(ProxyHeaders::IPV4 + tls) }
    seen = headers.map do |header|
      @lobby.connect(header + GET)
      @lobby.pop.https?.tap { @lobby.answer("fine") }
    end
    assert_equal [false, true, true], seen
  end

  test "a PROXY header with a certificate in it is read, and one without end is refused" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0")
    certificate = ProxyHeaders.extension(0x28, "x" * 16_000)
    client = @lobby.connect(ProxyHeaders.version2(ProxyHeaders::IPV4 + certificate))
    @lobby.await_counter(:bytes_in, 16_000 + 31)
    assert_served(client)
    long = @lobby.connect(ProxyHeaders.version2(certificate * 2))
    assert_includes @lobby.read_all(long), "the PROXY header is longer than 16 KiB"
  end

  test "clients that a PROXY header names count after a takeover as before" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0", trusted_proxies: "127.0.0.1", max_connections_per_client: 1)
    client = @lobby.connect(PROXY + GET)
    @lobby.pop
    @lobby.answer("before")
    assert_equal "before", @lobby.read_response(client).last
    settle
    Process.kill(:KILL, Integer(@lobby.tell("loop_pid")))
    @lobby.await_counter(:takeovers, 1)
    assert_served(client)
    assert_refused(503, @lobby.connect(PROXY + GET))
  end

  test "a connection with a PROXY header and no request is closed without an answer" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0", accept: false, client_header_timeout_ms: 200)
    spare = @lobby.connect(PROXY)
    @lobby.tell("tell accept")
    assert_equal "", @lobby.read_all(spare)
    assert_equal 0, @lobby.counter(:refused_408)
  end

  test "a server that drains does not wait for connections with a PROXY header and no request" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0")
    spare = @lobby.connect(PROXY)
    used, split = Array.new(2) { @lobby.connect(PROXY[0, 10]) }
    @lobby.await_counter(:bytes_in, PROXY.bytesize + 20)
    [used, split].each { |client| client.write(PROXY[10..]) }
    @lobby.await_counter(:bytes_in, PROXY.bytesize * 3)
    assert_served(used)
    @lobby.tell("tell drain")
    [spare, used, split].each { |client| assert_equal "", @lobby.read_all(client) }
    assert_equal "drained", @lobby.tell("await drained")
  end

  test "refuses a connection without the header, and a header on a listener that expects none" do
    play(listener: "0 proxy_protocol 1 https 0 borrowed 0")
    assert_refused(400, @lobby.connect(GET))
    @lobby.quit
    play
    assert_refused(501, @lobby.connect(PROXY + GET)) # which is no method
  end

  test "a line of the access log for each request" do
    play(access_log: "json")
    client = @lobby.connect("GET /a?b HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
    @lobby.pop
    @lobby.answer("fine", status: 201)
    assert @lobby.read_response(client)
    entry = logged
    assert_equal ["GET", "/a", 201, "mine", 0], entry.values_at("method", "path", "status", "request_id", "worker")
    client.write(GET)
    @lobby.pop
    @lobby.answer("")
    assert @lobby.read_response(client)
    assert_match(/\A\h{8}-\h{4}-4\h{3}-/, logged["request_id"])
    assert_refused(400, @lobby.connect("NONSENSE\r\n"))
    assert_equal 400, logged["status"]
  end

  test "the client is the one that a trusted proxy names" do
    play(access_log: "json", trusted_proxies: "127.0.0.1")
    assert_equal "192.0.2.1", answered(FORWARDED)["client"]
    assert_equal "127.0.0.1", answered(GET)["client"]
  end

  test "a client that is not a trusted proxy names nobody" do
    play(access_log: "json", trusted_proxies: "192.0.2.0/24")
    assert_equal "127.0.0.1", answered(FORWARDED)["client"]
  end

  test "requests that are refused are logged with the client that a trusted proxy names" do
    play(seats: 0, access_log: "json", trusted_proxies: "127.0.0.1", max_waiting: 1, buffer_disk_limit: 1000)
    @lobby.connect(GET)
    @lobby.await_counter(:waiting, 1)
    assert_refused(503, @lobby.connect(FORWARDED))
    assert_equal "192.0.2.1", logged["client"]
    head = FORWARDED.sub("\r\n\r\n", "\r\nContent-Length: 9000000\r\n\r\n")
    assert_refused(507, @lobby.connect(head + ("b" * 200_000)))
    assert_equal "192.0.2.1", logged["client"]
  end

  test "a request has one line, also when the lobby answers in the place of its worker" do
    play(access_log: "json")
    client = @lobby.connect(GET)
    @lobby.pop
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :millisecond)
    @lobby.tell("deadline 0 #{now} #{now + 1}")
    assert_refused(504, client)
    @lobby.answer("too late")
    assert_served(@lobby.connect)
    assert_equal([504, 200], Array.new(2) { logged["status"] })
  end

  test "requests that are shed are logged with what they asked for" do
    play(seats: 0, access_log: "json", max_waiting: 1)
    @lobby.connect(GET)
    @lobby.await_counter(:waiting, 1)
    assert_refused(503, @lobby.connect("GET /second HTTP/1.1\r\nHost: a\r\nX-Request-Id: two\r\n\r\n"))
    assert_equal ["GET", "/second", 503, "two"], logged.values_at("method", "path", "status", "request_id")
  end

  test "requests whose bodies are refused are logged with what they asked for" do
    play(access_log: "json", buffer_disk_limit: 1000, max_body_bytes: 9_000_000)
    assert_refused(413, @lobby.connect("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 9000001\r\n\r\n"))
    assert_equal ["POST", "/large", 413], logged.values_at("method", "path", "status")
    head = "POST /up HTTP/1.1\r\nHost: a\r\nX-Request-Id: up\r\nContent-Length: 9000000\r\n\r\n"
    assert_refused(507, @lobby.connect(head + ("b" * 200_000)))
    assert_equal ["POST", "/up", 507, "up"], logged.values_at("method", "path", "status", "request_id")
  end

  private

  # The line of a request that a worker has answered.
  def answered(request)
    client = @lobby.connect(request)
    @lobby.pop
    @lobby.answer("fine")
    assert @lobby.read_response(client)
    logged
  end

  def logged
    JSON.parse(BoundedWait.readable(@lobby.access_log).gets)
  end
end
