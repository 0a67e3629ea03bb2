# frozen_string_literal: true

# lane: soak -- exhausts a limit of the machine

require "test_helper"
require_relative "../support/server"
require_relative "../support/server_over_tcp"

# Limits of the process and of the machine that are met while it serves.
class NoRoomTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/few"
        highest = Dir.children("/proc/self/fd").map(&:to_i).max
        Process.setrlimit(:NOFILE, highest - 1, Process.getrlimit(:NOFILE).last)
      when "/upload" then env["rack.input"].read
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  test "a worker without a descriptor for its next client lives on, and serves it when there is one" do
    skip "prlimit(1) is not here" unless system("command -v prlimit >/dev/null")
    Server.open(app: APP, config: "worker_processes 1\ntimeout 60") do |server|
      pid = server.get("/few").body
      waiting = server.connect.tap { |socket| socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
      server.wait { server.log.include?("cannot accept") } # what a user would see
      system("prlimit", "--pid", pid, "--nofile=1024:", exception: true)

      assert_match(/\r\n\r\n#{pid}\z/, BoundedWait.read(waiting))
      assert_equal [pid.to_i], server.ready_workers.map(&:pid)
    ensure
      waiting&.close
    end
  end

  test "an upload beyond the limit of a file's size is refused, and the worker lives on" do
    config = <<~RUBY
      worker_processes 1
      client_body_buffer_size 1024
      after_worker_fork { |*| Process.setrlimit(:FSIZE, 10_000) }
    RUBY
    Server.open(app: APP, config: config) do |server|
      pid = server.ready_workers.first.pid

      assert_equal 507, server.request("POST", "/upload", {}, "x" * 100_000).status
      assert_equal pid.to_s, server.get.body
    end
  end

  test "a monitor whose log may not grow any more lives on, and reforks" do
    Server.open(app: APP, config: "worker_processes 1\nrefork_backoff 0") do |server|
      server.get
      limit_files(server.pid, "0:")
      2.times do |generation|
        server.signal(:USR2)
        server.wait { server.settled?(generation + 1) }

        assert_equal 200, server.get.status
      end
    end
  end

  test "a lobby whose files may not grow any more refuses bodies, drops lines of its log, and lives on" do
    config = <<~RUBY
      worker_processes 1
      access_log :text, "\#{__dir__}/access"
      client_body_buffer_size 1024
    RUBY
    ServerOverTcp.open(app: APP, listen: { lobby: true }, config: config) do |server|
      parts = server.rows(:lobby).map(&:pid)
      parts.each { |pid| limit_files(pid, "10000:") }
      File.truncate(server.path("access"), 10_000)

      assert_equal "200", over_tcp(server, "GET /")[9, 3]
      assert_equal "507", over_tcp(server, "POST /upload", "x" * 1_000_000)[9, 3]
      server.wait { server.board.lobby.log_lines_dropped == 2 }
      assert_equal parts, server.rows(:lobby).map(&:pid)
    end
  end

  private

  def limit_files(pid, range)
    skip "prlimit(1) is not here" unless system("command -v prlimit >/dev/null")
    system("prlimit", "--pid", pid.to_s, "--fsize=#{range}", exception: true)
  end

  def over_tcp(server, request, body = "")
    client = server.connect
    client.write("#{request} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: #{body.bytesize}\r\n\r\n")
    client.write(body)
    BoundedWait.read(client)
  ensure
    client&.close
  end
end
