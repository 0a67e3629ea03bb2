# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# A copy of a process of ours that the user's code forked and let come back: it ends, and nobody notices.
class StrayCopiesTest < Coppice::TestCase
  test "an application that forks and comes back twice answers once, and lives on" do
    app = <<~'RUBY'
      run(lambda do |env|
        copy = fork
        env["rack.after_reply"] << -> { File.write("replies", "#{Process.pid}\n", mode: "a") }
        Process.wait(copy) if copy
        [200, { "content-type" => "text/plain" }, ["#{Process.pid} #{copy && $?.exitstatus}"]]
      end)
    RUBY
    Server.open(app: app) do |server|
      worker = server.ready_workers.first.pid

      assert_equal ["#{worker} 1"] * 3, (Array.new(3) { server.get.body })
      server.wait { File.readlines(server.path("replies")).size == 3 }
      assert_equal ["#{worker}\n"] * 3, File.readlines(server.path("replies"))
    end
  end

  test "a copy that a body or a callback forks ends there as well" do
    app = <<~'RUBY'
      body = Class.new do
        def each
          yield "a"
          fork && Process.wait
          yield "b"
        end
      end
      run(lambda do |env|
        env["rack.after_reply"] << -> { fork && Process.wait }
        [200, {}, body.new]
      end)
    RUBY
    Server.open(app: app) do |server|
      assert_equal(["1\r\na\r\n1\r\nb\r\n0\r\n\r\n"] * 5, Array.new(5) { server.get.body })
    end
  end

  soak_test "a copy that an application lets exit has its own status, and touches nothing of ours" do
    app = <<~'RUBY'
      at_exit { File.write("at_exit", "#{Process.pid}\n", mode: "a") }
      run(lambda do |_env|
        fork || exit(7)
        [200, { "content-type" => "text/plain" }, [Process.wait2.last.exitstatus.to_s]]
      end)
    RUBY
    Server.open(app: app) do |server|
      assert_equal "7", server.get.body
      refute_path_exists server.path("at_exit")
    end
  end

  test "a hook that forks in the mold does not make two of a worker" do
    config = <<~RUBY
      before_fork do |_server|
        copy = fork
        Process.wait(copy) if copy
      end
    RUBY
    Server.open(app: "run ->(_env) { [200, {}, []] }", config: config) do |server|
      first = server.ready_workers.first.pid
      server.signal(:KILL, to: first)
      server.wait { server.ready_workers.any? { |row| row.pid != first } }

      assert_equal 200, server.get.status
      assert_equal 0, server.stop.exitstatus
    end
  end

  soak_test "a hook that forks in a worker leaves one worker" do
    app = "run ->(_env) { [200, {}, [Process.pid.to_s]] }"
    Server.open(app: app, config: "after_worker_ready { |_server, _worker| fork }") do |server|
      assert_equal server.ready_workers.first.pid.to_s, server.get.body
      assert_equal 0, server.stop.exitstatus
    end
  end
end
