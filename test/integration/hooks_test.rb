# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# Every hook, with its arguments and in its process.
class HooksTest < Coppice::TestCase
  APP = <<~RUBY
    run(lambda do |env|
      exit if env["PATH_INFO"] == "/exit"
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  # Each hook appends one line: its name, the pid it ran in, and what it got.
  CONFIG = <<~RUBY
    worker_processes 1
    note = lambda do |name, *values|
      File.write(File.join(File.dirname(__FILE__), "notes"), [name, Process.pid, *values].join(" ") + "\\n", mode: "a")
    end
    after_monitor_ready { |server| note.call(:after_monitor_ready, server.worker_processes) }
    before_fork { |server| note.call(:before_fork) }
    after_fork_in_parent { |server| note.call(:after_fork_in_parent) }
    after_mold_fork { |server, mold| note.call(:after_mold_fork, mold.generation) }
    after_worker_fork { |server, worker| note.call(:after_worker_fork, worker.nr, worker.generation) }
    after_worker_ready { |server, worker| note.call(:after_worker_ready, worker.nr) }
    after_request_complete do |server, worker, env|
      note.call(:after_request_complete, worker.requests_count, env["PATH_INFO"])
    end
    before_worker_exit { |server, worker| note.call(:before_worker_exit, worker.requests_count) }
    after_worker_exit do |server, worker, status|
      note.call(:after_worker_exit, worker.pid, worker.requests_count, status.exitstatus)
    end
    before_service_worker_ready { |server, service| note.call(:before_service_worker_ready, service.generation) }
    before_service_worker_exit { |server| note.call(:before_service_worker_exit) }
  RUBY

  def notes(server)
    return [] unless File.exist?(server.path("notes"))

    File.readlines(server.path("notes"), chomp: true).map(&:split)
  end

  def note(server, name) = server.wait(60, name) { notes(server).find { |line| line.first == name } }

  test "a hook of the monitor reads the exit status of each program that it runs" do
    config = <<~RUBY
      after_monitor_ready do |_server|
        statuses = Array.new(50) { `exit 3`; $?&.exitstatus.inspect }
        File.write("statuses.new", statuses.tally.inspect)
        File.rename("statuses.new", "statuses")
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      server.wait { File.exist?(server.path("statuses")) }

      assert_equal({ "3" => 50 }.inspect, File.read(server.path("statuses")))
    end
  end

  test "a hook of the monitor may ask what the server does" do
    config = <<~RUBY
      worker_processes 2
      after_monitor_ready do |_server|
        facts = [Coppice.stats.dig(:server, :workers_ready), Coppice::Info.workers_count, Coppice::Info.shutting_down?]
        File.write("facts.new", facts.join(" "))
        File.rename("facts.new", "facts")
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      server.wait { File.exist?(server.path("facts")) }

      assert_equal "2 2 false", File.read(server.path("facts"))
    end
  end

  test "a hook logs in the name of its process, and can name it" do
    config = <<~RUBY
      worker_processes 1
      after_mold_fork { |server, mold| server.logger.info("hook", mold: mold.mold?, **mold.to_log) }
      after_worker_fork { |server, worker| server.logger.info("hook", worker: worker.worker?, **worker.to_log) }
    RUBY
    Server.open(app: APP, config: config) do |server|
      lines = server.log.lines.grep(/msg=hook/) # what a hook logs is for people: they must know who wrote it

      assert_match(/role=mold gen=0 .*mold=true child=mold/, lines.first)
      assert_match(/role=worker nr=0 gen=0 .*worker=true child=worker/, lines.last)
    end
  end

  test "each hook runs in its process with its arguments, those of a mold also in a promoted worker" do
    Server.open(app: APP, config: CONFIG) do |server|
      server.wait { server.rows(:service).any?(&:ready?) }
      worker, mold, service = pids(server)

      assert_equal [server.pid.to_s, "1"], note(server, "after_monitor_ready").drop(1)
      assert_equal [mold], note(server, "before_fork").drop(1)
      assert_equal [mold], note(server, "after_fork_in_parent").drop(1)
      assert_equal [mold, "0"], note(server, "after_mold_fork").drop(1)
      assert_equal [worker, "0", "0"], note(server, "after_worker_fork").drop(1)
      assert_equal [worker, "0"], note(server, "after_worker_ready").drop(1)
      assert_equal [service, "0"], note(server, "before_service_worker_ready").drop(1)
      server.get("/first")

      assert_equal [worker, "1", "/first"], note(server, "after_request_complete").drop(1)
      assert_promoted_worker_runs_hooks_of_a_mold(server, worker)
      assert_exit_hooks_run(server)
    end
  end

  def assert_promoted_worker_runs_hooks_of_a_mold(server, worker)
    server.signal(:USR2)
    server.wait do
      server.settled?(1) && server.rows(:service).map { |row| [row.ready?, row.generation] } == [[true, 1]]
    end
    mold = pids(server)[1]

    assert_includes notes(server), ["before_fork", worker]
    assert_includes notes(server), ["after_fork_in_parent", worker]
    assert_includes notes(server), ["after_mold_fork", mold, "1"]
  end

  def assert_exit_hooks_run(server)
    worker, _mold, service = pids(server)
    server.get("/second")
    server.stop

    assert_includes notes(server), ["before_worker_exit", worker, "1"]
    assert_includes notes(server), ["after_worker_exit", server.pid.to_s, worker, "1", "0"]
    assert_includes notes(server), ["before_service_worker_exit", service]
  end

  # Of the only worker, the mold and the service, as the notes have them.
  def pids(server) = %i[worker mold service].map { |role| server.rows(role).first.pid.to_s }

  test "a hook that raises ends neither the worker nor the monitor, which replaces a worker that exits in a request" do
    config = <<~RUBY
      worker_processes 1
      after_request_complete { raise "no such host" }
      after_worker_exit { |_server, _worker, _status| raise "oops" }
    RUBY
    Server.open(app: APP, config: config) do |server|
      pid = server.ready_workers.first.pid.to_s
      answers = Array.new(3) { server.get.body }

      assert_equal [pid], answers.uniq
      server.wait { server.ready_workers.first.deadline_ms.zero? }
      assert_equal 500, server.get("/exit").status
      server.wait { server.ready_workers.any? { |row| row.pid.to_s != pid } }

      refute_equal pid, server.get.body
    end
  end

  test "closing all descriptors in a hook closes the application's and keeps ours and those kept" do
    app = <<~'RUBY'
      $leaked, $writer = IO.pipe
      $kept = Coppice::Info.keep_io(File.open("/dev/null"))
      run ->(_env) { [200, { "content-type" => "text/plain" }, ["#{$leaked.closed?} #{$kept.closed?}"]] }
    RUBY
    config = <<~RUBY
      worker_processes 1
      after_mold_fork { Coppice::Info.close_all_ios! }
      after_worker_fork { Coppice::Info.close_all_ios! }
    RUBY
    Server.open(app: app, config: config) do |server|
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_equal "true false", server.get.body
    end
  end

  test "after_worker_exit has a report of the worker's end, with the request it was serving" do
    config = <<~RUBY
      after_worker_exit do |_server, worker, _status|
        report = worker.exit_report
        facts = [report.cause, report.nr, report.requests, report.request, report.peak_memory > 1_000_000]
        File.write("report", facts.join(" "))
      end
    RUBY
    app = 'run ->(env) { env["PATH_INFO"] == "/hang" ? sleep : [200, {}, []] }'
    Server.open(app: app, config: config) do |server|
      server.get
      socket = server.connect
      socket.write("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n")
      busy = server.wait { server.ready_workers.find { |row| row.started_ms.positive? && row.request == "GET /hang" } }
      server.signal(:KILL, to: busy.pid)
      server.wait { File.size?(server.path("report")) }

      assert_equal "signal 0 1 GET /hang true", File.read(server.path("report"))
      socket.close
    end
  end
end
