# frozen_string_literal: true

# lane: soak -- clients and idle workers in real time

require "test_helper"
require_relative "../support/server_over_tcp"

# Work of idle workers, through the lobby and at a listener.
class OutOfBandServerTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |env|
      Thread.main[:served] = env["PATH_INFO"]
      full = GC.config[:rgengc_allow_full_mark].inspect if GC.respond_to?(:config)
      [200, { "content-type" => "text/plain" }, ["#{Process.pid} #{full}"]]
    end)
  RUBY

  # Each test with both kinds of listeners.
  def self.test_both(name, &body)
    { "the lobby" => { listen: { lobby: true } }, "a listener" => { listen: { lobby: false } } }.each do |kind, options|
      test("#{name}, with #{kind}") { instance_exec(options, &body) }
    end
  end

  def serve(options, config, &block) = ServerOverTcp.open(app: APP, config: config, **options, &block)

  test_both "a block is called after requests, and may fail" do |options|
    config = <<~'RUBY'
      worker_processes 1
      out_of_band do |_server, worker|
        name = Thread.main[:served].delete("/")
        File.write(File.join(__dir__, name), worker.requests_count.to_s)
        raise "wanted" if name == "a"
      end
    RUBY
    serve(options, config) do |server|
      pid = server.get("/a").body
      server.wait { File.size?(server.path("a")) }

      assert_equal pid, server.get("/b").body
      server.wait { File.size?(server.path("b")) }

      assert_equal "2", File.read(server.path("b"))
    end
  end

  test_both "clients get to the other workers while one works" do |options|
    config = <<~RUBY
      worker_processes 2
      out_of_band do |*|
        File.write(File.join(__dir__, "working"), Process.pid.to_s)
        IO.select(nil, nil, nil, 0.01) until File.exist?(File.join(__dir__, "done"))
      end
    RUBY
    serve(options, config) do |server|
      server.get("/")
      # Both announce their work before one of them gives way.
      working = server.wait { File.size?(server.path("working")) && File.read(server.path("working")).to_i }
      pids = Array.new(5) { server.get("/").body.to_i }

      refute_includes pids, working
      server.wait { server.ready_workers.select { |row| row.out_of_band? }.map(&:pid) == [working] }
      File.write(server.path("done"), "")
      server.wait { server.ready_workers.none? { |row| row.out_of_band? } }
    end
  end

  soak_test "a block that hangs ends its worker, and is named as what it was doing" do
    config = <<~'RUBY'
      worker_processes 1
      timeout 6, cleanup: 6 # the worker has long to come to the block, and then to note its stack
      timeout_for "/", 60 # of the request before
      out_of_band do |*|
        IO.select(nil)
      rescue Exception # why: the work that this test is about
        retry
      end
      after_worker_exit do |_server, worker, _status|
        report = worker.exit_report
        File.write(File.join(__dir__, "new"), [report.cause, report.request, report.stack].join(" "))
        File.rename(File.join(__dir__, "new"), File.join(__dir__, "report"))
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      server.get("/")
      server.wait { File.exist?(server.path("report")) }

      assert_match(/\Arequest_timeout out-of-band work .*coppice\.conf\.rb/, File.read(server.path("report")))
    end
  end

  test "workers keep major collections out of requests, and so do those forked from one of them" do
    config = <<~RUBY
      worker_processes 1
      out_of_band :gc
      after_mold_fork do |_server, mold|
        full = GC.config[:rgengc_allow_full_mark].inspect if GC.respond_to?(:config)
        File.write(File.join(__dir__, "mold\#{mold.generation}"), full.to_s)
      end
    RUBY
    serve({}, config) do |server|
      allowed = RUBY_VERSION >= "3.4" ? "false" : ""
      first, full = server.get("/").body.split(" ", 2)

      assert_equal allowed, full.to_s
      server.signal(:USR2)
      server.wait { server.settled?(1) }
      second, full = server.get("/").body.split(" ", 2)

      refute_equal first, second
      assert_equal allowed, full.to_s
      assert_equal RUBY_VERSION >= "3.4" ? "true" : "", File.read(server.path("mold1"))
    end
  end
end
