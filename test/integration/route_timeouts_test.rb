# frozen_string_literal: true

# lane: soak -- waits for limits of seconds

require "test_helper"
require_relative "../support/late_requests"
require_relative "../support/server_over_tcp"

# Limits of paths and of single requests, and what is told of a worker that had to be killed for one.
class RouteTimeoutsTest < Coppice::TestCase
  include LateRequests

  # Before a limit passes an application must have come to the place where it hangs: on a busy machine that takes long.
  APP = <<~RUBY.freeze
    run(lambda do |env|
      case env["PATH_INFO"]
      #{BRANCHES}
      when "/called" then env["coppice.timeout"].call(Float(env["QUERY_STRING"])) && sleep # app: forever
      when "/called/deaf" then env["coppice.timeout"].call(6) && Process.kill(:STOP, Process.pid)
      when "/called/stuck"
        begin
          env["coppice.timeout"].call(0.1)
          sleep
        rescue Exception # why: the application that this test is about
          retry
        end
      when "/called/more"
        env["coppice.timeout"].call(30)
        IO.select(nil, nil, nil, 6.3)
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def serve(config, &block) = Server.open(app: APP, config: config, &block)

  def first_bytes(socket) = BoundedWait.readable(socket).readpartial(4096)

  test "a path has a limit of its own, shorter or longer" do
    config = <<~RUBY
      worker_processes 1
      timeout 60, cleanup: 10
      timeout_for "/hang", 0.3
      timeout_for(/begun/, 6) # else it may pass before the body begins
    RUBY
    serve(config) do |server|
      ask(server, "/hang") { |socket| assert_match(%r{\AHTTP/1.1 503 }, first_bytes(socket)) }
      server.wait { server.ready_workers.any? }
      ask(server, "/begun") { |socket| assert_match(%r{\AHTTP/1.1 200 .*first}m, BoundedWait.read(socket)) }
    end
    serve("worker_processes 1\ntimeout 0.3, cleanup: 0.2\ntimeout_for '/deaf', 86_400") do |server|
      ask(server, "/deaf") do
        # The deadline is noted after the start.
        row = server.wait { server.ready_workers.find { |worker| worker.deadline_ms.positive? } }

        assert_equal 86_400_000, row.deadline_ms - row.started_ms
        server.signal(:KILL, to: row.pid)
      end
    end
  end

  test "a request sets its own limit, up and down" do
    serve("worker_processes 1\ntimeout 6, cleanup: 6") do |server|
      pid = server.ready_workers.first.pid

      assert_equal pid.to_s, server.get("/called/more").body
    end
    serve("worker_processes 1\ntimeout 60, cleanup: 10") do |server|
      ask(server, "/called?0.2") { |socket| assert_match(%r{\AHTTP/1.1 503 }, first_bytes(socket)) }
    end
  end

  test "the lobby answers in the place of a worker that is past a limit of its own" do
    config = "worker_processes 1\ntimeout 60, cleanup: 60\ntimeout_for '/deaf', 6"
    ServerOverTcp.open(app: APP, config: config, listen: { lobby: true }) do |server|
      ["/deaf", "/called/deaf"].each do |path|
        worker = server.wait { server.ready_workers.first }.pid
        ask(server, path) { |socket| assert_match(%r{\AHTTP/1.1 504 }, first_bytes(socket)) }
        server.signal(:KILL, to: worker)
        server.wait { server.ready_workers.any? { |row| row.pid != worker } }
      end
    end
  end

  # A worker that may still run has long for its report, one that is deaf has long to become it.
  test "an exit is reported with the request, its ID, and where it was if it has to be killed" do
    assert_equal "request_timeout GET /called/stuck a1 config.ru",
      report("/called/stuck", "timeout 60, cleanup: 6")
    assert_equal "request_timeout GET /deaf a1 ", report("/deaf", "timeout 6, cleanup: 0.1")
  end

  # What the monitor reports of the worker that it kills for a request.
  def report(path, limits)
    config = <<~RUBY
      worker_processes 1
      #{limits}
      after_worker_exit do |_server, worker, _status|
        report = worker.exit_report
        note = [report.cause, report.request, report.request_id, report.stack.to_s[/config\.ru/]].join(" ")
        File.write(File.join(__dir__, "report.new"), note)
        File.rename(File.join(__dir__, "report.new"), File.join(__dir__, "report"))
      end
    RUBY
    serve(config) do |server|
      ask(server, path, "X-Request-Id: a1\r\n") { server.wait { File.exist?(server.path("report")) } }
      return File.read(server.path("report"))
    end
  end
end
