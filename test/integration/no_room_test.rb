# frozen_string_literal: true

# lane: soak -- exhausts a limit of the machine

require "test_helper"
require_relative "../support/server"

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
end
