# frozen_string_literal: true

require "test_helper"
require_relative "../support/releases"
require_relative "../support/server_over_tcp"

# A service that has the WebSockets of a path, while workers have everything else.
class WebsocketServiceTest < Coppice::TestCase
  include Releases

  CONFIG = %(worker_processes 2\nservice :cable, path: "/cable"\n)

  # Upgrades, then answers each line with its pid in front.
  APP = <<~'RUBY'
    run(lambda do |env|
      next [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] unless env["HTTP_UPGRADE"]

      io = env["rack.hijack"].call
      io.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n")
      io.write("#{env["REMOTE_ADDR"]} #{env["SCRIPT_NAME"]}#{env["PATH_INFO"]} #{env.values_at("rack.multithread", "rack.multiprocess")} #{env["HTTP_X_REQUEST_ID"]}\n")
      Thread.new { io.each_line { |line| io.write("#{Process.pid} #{line}") } }
      [200, {}, []]
    end)
  RUBY

  HANDSHAKE = "GET /cable HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" \
              "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

  # Yields a socket behind its head, and what the application said first.
  def upgraded(server)
    socket = server.connect
    socket.write(HANDSHAKE)
    assert_equal "HTTP/1.1 101 Switching Protocols\r\n", line(socket)
    nil until line(socket) == "\r\n"
    yield socket, line(socket)
  ensure
    socket&.close
  end

  def line(socket)
    BoundedWait.readable(socket)
    socket.gets
  end

  # The pid of the process that has the socket.
  def echo(socket)
    socket.write("hello\n")
    pid, text = line(socket).split
    assert_equal "hello", text
    Integer(pid)
  end

  def service(server) = server.rows(:service).map(&:pid)

  test "it is forked for the first handshake, and keeps the socket over reforks" do
    ServerOverTcp.open(app: APP, config: CONFIG) do |server|
      assert_empty service(server)
      upgraded(server) do |socket, said|
        assert_match(/\A127.0.0.1 \/cable \[true, true\] \h{8}-\h{4}/, said)
        pid = echo(socket)
        assert_equal [pid], service(server)
        server.signal(:USR2)
        server.wait { server.settled?(1) }
        assert_equal pid, echo(socket)
        assert_equal pid, upgraded(server) { |another| echo(another) }
      end
      assert_includes server.ready_workers.map(&:pid), Integer(server.get("/cable").body)
    end
  end

  test "one that dies is forked again for the next handshake" do
    ServerOverTcp.open(app: APP, config: CONFIG) do |server|
      first = upgraded(server) { |socket| echo(socket) }
      Process.kill(:KILL, first)
      server.wait { service(server).empty? && server.log.include?("service exited") }
      second = server.wait { served_again(server) }
      refute_equal first, second
    end
  end

  # Its pid; nil while clients are told to come later.
  def served_again(server)
    socket = server.connect
    socket.write(HANDSHAKE)
    status = line(socket)[9, 3]
    assert_includes %w[101 503], status
    return unless status == "101"

    nil until line(socket) == "\r\n"
    line(socket) && echo(socket)
  ensure
    socket&.close
  end

  soak_test "a roll has another one for new clients, while the former closes its sockets one after the other" do
    config = %(worker_processes 1\ncanary false\nservice :cable, path: "/cable", timeout: 120\n)
    with_releases(:one, :two, app: APP, config: config, lobby: true) do |server, directories|
      upgraded(server) do |first, _|
        upgraded(server) do |second, _|
          former = echo(second)
          output, status = coppice(server, "roll", directories[:two])
          assert_predicate status, :success?, output
          assert_nil line(first)
          refute_equal former, upgraded(server) { |socket| echo(socket) }
          assert_equal former, echo(second)
          server.stop
          assert_nil line(second)
        end
      end
    end
  end

  test "a server that stops closes them" do
    ServerOverTcp.open(app: APP, config: CONFIG) do |server|
      upgraded(server) do |socket, _|
        server.stop
        assert_nil line(socket)
      end
    end
  end
end
