# frozen_string_literal: true

# lane: soak -- hundreds of clients at once

require "test_helper"
require_relative "../soak/support/kept_alive_clients"
require_relative "../support/c_library"
require_relative "../support/gate"
require_relative "../support/server_over_tcp"

# Clients that mean harm, many at once. Beside them a well-behaved one is always answered.
class LobbyAttacksTest < Coppice::TestCase
  LARGE_BYTES = 20 * 1024 * 1024
  DESCRIPTORS = 256

  APP = <<~RUBY.freeze
    require "#{CLibrary::PATH}"
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/large" then [200, {}, ["x" * #{LARGE_BYTES}]]
      when "/gate" then [200, {}, [#{Gate.code('gate')} && "passed"]]
      when "/native" then CLibrary.call_alone("sleep", 600) && raise
      else [200, {}, [env["QUERY_STRING"]]]
      end
    end)
  RUBY
  GET = "GET /?%s HTTP/1.1\r\nHost: x\r\n\r\n"

  # The hard limit of descriptors is lower than that of the test.
  class Limited < ServerOverTcp
    private

    def command = ["/bin/sh", "-c", "ulimit -n #{DESCRIPTORS} && exec \"$@\"", "sh", *super]
  end

  def serve(config = "", type: ServerOverTcp)
    config = "worker_processes 2\nclient_header_timeout 60\nclient_body_timeout 60\n#{config}"
    type.open(app: APP, config: config, listen: { lobby: true }) do |server|
      yield server
    ensure
      @attackers&.each(&:close) # otherwise the server waits for them when it stops
    end
  end

  # So many connections, each of which has sent these bytes.
  def attack(server, count, bytes)
    @attackers ||= []
    Array.new(count) { server.connect.tap { |socket| socket.write(bytes) } }.each { |socket| @attackers << socket }
  end

  # While the block runs, and for some requests more, a client is answered each time.
  def assert_serves_others(server, keep: true)
    client = KeptAliveClients.new(server, clients: 1, keep: keep)
    client.during do
      yield
      answers = client.answers
      server.wait { client.answers > answers + 50 || client.failures.any? }
    end

    assert_empty client.failures
  end

  test "a thousand heads that trickle" do
    serve do |server|
      assert_serves_others(server) do
        attackers = attack(server, 1000, "GET / HT")
        3.times { attackers.each { |socket| socket.write("T") } }
        server.wait { server.board.lobby.connections >= 1000 }
      end
    end
  end

  test "hundreds of bodies that trickle" do
    serve do |server|
      assert_serves_others(server) do
        attackers = attack(server, 500, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
        3.times { attackers.each { |socket| socket.write("b") } }
        server.wait { server.board.lobby.connections >= 500 }
      end
    end
  end

  test "clients that do not read their long answers" do
    serve do |server|
      assert_serves_others(server) do
        attack(server, 20, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        server.wait(60) { server.board.lobby.file_bytes > 10 * LARGE_BYTES }
      end
    end
  end

  # The disk may keep two of the answers. What readers may have of it leaves room for bodies.
  test "more long answers than can be kept" do
    serve("buffer_disk_limit #{64 * 1024 * 1024}") do |server|
      assert_serves_others(server) do
        attack(server, 30, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        server.wait(60) { server.board.lobby.file_bytes > 2 * LARGE_BYTES }
        upload, = attack(server, 1, post("b" * (12 * 1024 * 1024)))

        assert_match(/ 200 /, upload.gets)
        server.wait(60) { server.board.lobby.slow_readers > 20 }
      end
    end
  end

  def post(body) = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: #{body.bytesize}\r\n\r\n#{body}"

  test "clients that send nothing more are answered" do
    serve do |server|
      assert_serves_others(server) do
        attackers = attack(server, 200, format(GET, "half")).each(&:close_write)

        assert_equal(200, attackers.count { |socket| BoundedWait.read(socket).end_with?("\r\n\r\nhalf") })
      end
    end
  end

  test "requests whose clients leave while they wait reach no worker" do
    serve("worker_processes 1") do |server|
      gate = Gate.new(server.path("gate"))
      gate.closed do
        first, = attack(server, 1, "GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
        server.wait { server.board.lobby.requests == 1 && server.board.lobby.waiting.zero? }
        attackers = attack(server, 100, format(GET, "lost"))
        server.wait { server.board.lobby.waiting == 100 }
        leave(attackers)
        server.wait { server.board.lobby.client_gone == 100 }
        @first = first
      end
      assert_serves_others(server) { assert_match(/ 200 /, @first.gets) }

      server.wait { server.board.lobby.answered == server.board.lobby.requests - 100 } # counted once it is sent
    end
  end

  def leave(sockets)
    sockets.each do |socket|
      socket.setsockopt(Socket::Option.linger(true, 0))
      socket.close
    end
    @attackers -= sockets
  end

  test "a thousand requests that come at once are answered in order" do
    serve do |server|
      assert_serves_others(server) do
        client, = attack(server, 1, (1..1000).map { |number| format(GET, number) }.join)
        client.close_write

        assert_equal (1..1000).map(&:to_s), BoundedWait.read(client).scan(/\r\n\r\n(\d+)/).flatten
      end
    end
  end

  # Idle connections are closed for new ones, so the other client makes one for each request. Those with a request are
  # not, so there are never as many of them as there may be connections.
  test "more connections than descriptors" do
    serve("max_connections 10000", type: Limited) do |server|
      assert_serves_others(server, keep: false) do
        idle = Array.new(4) do
          idle = attack(server, DESCRIPTORS / 4, format(GET, "idle"))
          idle.each { |socket| BoundedWait.readable(socket).readpartial(1000) }
        end.flatten
        server.wait { server.board.lobby.evicted.positive? }
        leave(idle)
      end
    end
  end

  test "an application that holds the lock of Ruby: the lobby answers in time" do
    serve("timeout 60, cleanup: 600\ntimeout_for '/native', 1") do |server|
      client, = attack(server, 1, "GET /native HTTP/1.1\r\nHost: x\r\n\r\n")
      workers = server.ready_workers.map(&:pid).sort
      assert_serves_others(server) { assert_match(/\AHTTP\S+ 504 /, BoundedWait.readable(client).gets) }

      assert_equal workers, server.ready_workers.map(&:pid).sort
    ensure
      server.rows(:worker).each { |row| server.signal(:KILL, to: row.pid) if row.started_ms.positive? }
    end
  end
end
