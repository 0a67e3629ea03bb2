# frozen_string_literal: true

require "test_helper"
require_relative "../support/raw_client"
require_relative "../support/server_over_tcp"

# Sockets that an application takes over belong to the worker that did, not to the mold and the workers forked from it:
# a client sees the end when that worker closes its socket, or exits.
class HijackTest < Coppice::TestCase
  HEAD = "HTTP/1.1 200 OK\r\n\r\n"

  # Keeps each socket open for as long as the process lives.
  APP = <<~'RUBY'
    KEPT = []
    keep = lambda do |io, copies|
      io.write("kept by #{Process.pid}")
      KEPT.concat(copies)
    end
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/partial" then next [200, { "rack.hijack" => ->(io) { keep.call(io, [io]) } }, []]
      when "/view" then KEPT << env["coppice.socket"].to_io.dup
      else
        io = env["rack.hijack"].call
        io.write("HTTP/1.1 200 OK\r\n\r\n")
        keep.call(io, env["PATH_INFO"] == "/copy" ? [io.dup] : [io])
        Thread.new { io.read } if env["PATH_INFO"] == "/thread"
        io.close if env["PATH_INFO"] == "/copy"
      end
      [200, {}, ["kept by #{Process.pid}"]]
    end)
  RUBY

  # The bodies that clients of these paths get, each to its end, when the worker that took their sockets over is
  # replaced.
  def bodies_over_a_refork(server, paths)
    sockets = paths.map do |path|
      server.connect.tap { |socket| socket.write("GET #{path} HTTP/1.1\r\nHost: x\r\n\r\n") }
    end
    sockets.each { |socket| BoundedWait.readable(socket) }
    server.signal(:USR2)
    server.wait { server.settled?(1) }
    sockets.map { |socket| RawClient.new(socket).answer.body }
  ensure
    sockets.each(&:close)
  end

  { TCP: ServerOverTcp, Unix: Server }.each do |family, servers|
    test "clients at a #{family} socket see the end when the worker that kept their sockets is replaced" do
      servers.open(app: APP, config: "worker_processes 1") do |server|
        worker = server.ready_workers.first.pid
        paths = %w[/ /thread /copy /partial /view]

        assert_equal ["kept by #{worker}"] * paths.size, bodies_over_a_refork(server, paths)
      end
    end
  end

  test "small writes to the lobby's clients are sent at once, whatever their listener says" do
    app = <<~'RUBY'
      run(lambda do |env|
        io = env["rack.hijack"].call
        io.write("HTTP/1.1 200 OK\r\n\r\n#{io.getsockopt(:TCP, :NODELAY).bool}")
        io.close
      end)
    RUBY
    ServerOverTcp.open(app: app, listen: { tcp_nodelay: false }, config: "worker_processes 1") do |server|
      assert_equal "true", server.get("/").body
    end
  end
end
