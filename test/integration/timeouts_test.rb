# frozen_string_literal: true

require "test_helper"
require_relative "../support/late_requests"
require_relative "../support/server"

# Requests that take too long.
class TimeoutsTest < Coppice::TestCase
  include LateRequests

  APP = <<~RUBY.freeze
    run(lambda do |env|
      case env["PATH_INFO"]
      #{BRANCHES}
      when "/late_begun"
        limit = env["coppice.timeout"]
        return [200, {}, Enumerator.new { |body| (body << "first") && (limit.call(0.3); sleep) }] # app: forever
      when "/late_stuck"
        begin
          env["coppice.timeout"].call(0.3)
          IO.select(nil)
        rescue Exception # why: the application that this test is about
          retry
        end
      when "/late_rescued"
        begin
          env["coppice.timeout"].call(0.3)
          IO.select(nil)
        rescue Exception # why: ActionDispatch::ShowExceptions does so
          return [500, {}, ["an error page"]]
        end
      when "/extended"
        limit = env["pitchfork.timeout"].deadline
        env["pitchfork.timeout"].extend_deadline(30)
        IO.select(nil, nil, nil, 0.01) until Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit + 0.4
      when "/lowered"
        env["coppice.timeout"].extend_deadline(-600)
        sleep # app: forever
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def serve(config, **how, &block) = Server.open(app: APP, config: config, **how, &block)

  # Waits until the only worker, which gets a request, was replaced.
  def lose_the_worker(server)
    pid = server.ready_workers.first.pid
    ask(server, "/") { server.wait { server.ready_workers.any? { |row| row.pid != pid } } }
  end

  # Waits until one of two workers was replaced: the one of a request that nothing but the monitor can end.
  def lose_a_worker(server)
    before = server.ready_workers.map(&:pid)
    ask(server, "/deaf") do |_socket|
      server.wait { server.ready_workers.map(&:pid).then { |pids| pids.size == 2 && (pids - before).any? } }
    end
  end

  # On a busy machine also a request that does nothing may take longer than a short timeout: then its client asks again.
  def assert_serves(server) = assert(server.wait { served?(server) })

  def served?(server)
    server.get.status == 200
  rescue EOFError, SystemCallError
    false
  end

  test "a worker whose request takes too long exits, after the hook has seen the request" do
    config = <<~RUBY
      worker_processes 2
      timeout 0.5, cleanup: 10
      after_worker_exit { |_server, worker, _status| File.write(File.join(__dir__, "cause"), worker.exit_report.cause) }
      after_worker_timeout do |server, worker, info|
        info.copy_thread_variables!
        note = [worker.pid, worker.nr, info.rack_env["PATH_INFO"], info.thread == Thread.main]
        File.write("note", note.join(" "))
      end
    RUBY
    serve(config) do |server|
      numbers = server.ready_workers.to_h { |row| [row.pid, row.nr] }
      ask(server, "/hang") do |socket|
        assert_match(/\AHTTP\/1.1 503 .*^retry-after: \d+\r\n.*took too long/mi, BoundedWait.read(socket))
        server.wait { File.size?(server.path("cause")) } # the worker has exited
        pid, *note = File.read(server.path("note")).split

        assert_equal "timeout", File.read(server.path("cause"))
        assert_equal [numbers.fetch(pid.to_i).to_s, "/hang", "true"], note
        server.wait { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == pid.to_i } }
      end
    end
  end

  test "a worker that exits for a request calls before_worker_exit on its main thread, after the request's cleanup" do
    app = <<~'RUBY'
      note = ->(text) { File.write("notes", "#{text}\n", mode: "a") }
      run(lambda do |env|
        env["coppice.timeout"].call(0.3)
        sleep # app: forever
      ensure
        note.call("request")
      end)
    RUBY
    config = <<~'RUBY'
      worker_processes 1
      timeout 60, cleanup: 10
      after_worker_timeout { |*| File.write("notes", "timeout\n", mode: "a") }
      before_worker_exit { |*| File.write("notes", "exit #{Thread.current == Thread.main}\n", mode: "a") }
    RUBY
    Server.open(app: app, config: config) do |server|
      lose_the_worker(server)

      assert_equal ["timeout", "request", "exit true"], File.readlines(server.path("notes"), chomp: true)
    end
  end

  test "a request that ends while its timeout is handled cuts no exit hook short" do
    app = <<~'RUBY'
      run(lambda do |_env|
        IO.select(nil, nil, nil, 0.01) until File.exist?("timed_out")
        [200, {}, []]
      end)
    RUBY
    config = <<~'RUBY'
      worker_processes 1
      timeout 0.3, cleanup: 10
      after_worker_timeout do |*|
        File.write("timed_out", "")
        IO.select(nil, nil, nil, 0.01) until File.exist?("leaving")
        Thread.current[:told] = true
      end
      before_worker_exit do |*|
        File.write("leaving", "")
        watching = Thread.list.find { |thread| thread.name == "coppice timeout" }
        IO.select(nil, nil, nil, 0.01) until watching[:told] && watching.status == "sleep" # it has nothing more to do
        File.write("notes", "whole\n")
      end
    RUBY
    Server.open(app: app, config: config) do |server|
      lose_the_worker(server)

      assert_equal "whole\n", File.read(server.path("notes"))
    end
  end

  test "an exit hook that hangs after a timeout ends with the hard limit of the request" do
    app = <<~'RUBY'
      run(lambda do |env|
        Thread.handle_interrupt(Exception => :never) do
          env["coppice.timeout"].call(0.3)
          File.write("request", (env["coppice.timeout"].deadline * 1000).to_s)
        end
        sleep # app: forever
      end)
    RUBY
    config = <<~RUBY
      worker_processes 1
      timeout 60, cleanup: 6
      before_worker_exit { |_server, worker| File.write("hook", worker.membership.row.deadline_ms.to_s) && sleep }
    RUBY
    Server.open(app: app, config: config) do |server|
      lose_the_worker(server)

      request, hook = %w[request hook].map { |name| File.read(server.path(name)).to_f }
      assert_in_delta request, hook, 2000, "milliseconds: a new limit would be 6 s later"
    end
  end

  soak_test "an idle worker outlives any timeout, and is replaced when it gets TERM and its exit hook hangs" do
    serve("worker_processes 1\ntimeout 0.3, cleanup: 0.3\nbefore_worker_exit { |*| sleep }") do |server|
      pid = server.ready_workers.first.pid
      waited = monotonic_now + 1
      eventually { monotonic_now > waited }

      assert_equal [pid], server.ready_workers.map(&:pid)
      server.signal(:TERM, to: pid)
      server.wait { server.ready_workers.any? { |row| row.pid != pid } }

      assert_serves(server)
    end
  end

  test "a worker that cannot exit is killed by the monitor" do
    serve("worker_processes 2\ntimeout 0.3, cleanup: 0.3") do |server|
      lose_a_worker(server)

      assert_serves(server)
    end
  end

  test "a block that cannot choose the signal does not keep the worker alive, nor end the monitor" do
    config = "worker_processes 2\ntimeout 0.3, cleanup: 0.3\ntimeout_signal { |_pid| raise 'no idea' }"
    serve(config) do |server|
      lose_a_worker(server)

      assert_serves(server)
    end
  end

  test "a hook after the request is still within its deadline" do
    config = <<~RUBY
      worker_processes 1
      timeout 60, cleanup: 0.5
      after_request_complete do |_server, _worker, env|
        next unless env["PATH_INFO"] == "/hook"

        env["coppice.timeout"].call(0.2)
        IO.select(nil)
      end
    RUBY
    serve(config) do |server|
      pid = server.get("/").body

      assert_equal pid, server.get("/hook").body
      server.wait { server.ready_workers.any? { |row| row.pid.to_s != pid } }
      refute_equal pid, server.get("/").body
    end
  end

  soak_test "a request may ask for more time" do
    serve("worker_processes 1\ntimeout 6, cleanup: 0.1") do |server|
      pid = server.ready_workers.first.pid

      assert_equal pid.to_s, server.get("/extended").body
      assert_equal [pid], server.ready_workers.map(&:pid)
    end
  end

  test "a request may ask for less time: its client is answered then, whatever it does; a begun answer is cut off" do
    config = <<~RUBY
      worker_processes 1
      timeout 60, cleanup: 20
      after_worker_timeout do |_server, _worker, info|
        File.write(File.join(__dir__, "late"), info.rack_env["PATH_INFO"])
      end
    RUBY
    serve(config) do |server|
      assert_answered_late(server, "/lowered")
      server.wait { File.size?(server.path("late")) }

      assert_equal "/lowered", File.read(server.path("late"))
      assert_cut_off(server, "/late_begun")
      assert_answered_late(server, "/late_rescued")
      server.wait { server.board.exits_count == 3 }
      refute_match(/application error/, server.log)
      assert_answered_late(server, "/late_stuck") # although it lets nothing end it
      server.signal(:KILL, to: server.ready_workers.first.pid)
    end
  end

  test "a client that waits behind a request that times out is another worker's, even if the application goes on" do
    serve("worker_processes 1\ntimeout 60, cleanup: 20", lobby: true) do |server|
      pid = server.get("/").body
      server.wait { File.read("/proc/#{pid}/cmdline").include?("waiting") } # so that the lobby wakes it
      ask(server, "/late_rescued") do |_socket|
        server.wait { server.ready_workers.first.started_ms.positive? }

        refute_equal pid, server.get("/").body
      end
    end
  end

  def assert_answered_late(server, path)
    ask(server, path) do |socket|
      assert_match(%r{\AHTTP/1.1 503 }, BoundedWait.readable(socket).readpartial(4096))
    end
  end

  def assert_cut_off(server, path)
    ask(server, path) do |socket|
      bytes = BoundedWait.read(socket)

      assert_match(%r{\AHTTP/1.1 200 }, bytes)
      refute_match(/503|0\r\n\r\n\z/, bytes)
    end
  end

  test "a request that cannot be ended ends with its worker, even without a monitor" do
    serve("worker_processes 1\ntimeout 60, cleanup: 0.2") do |server|
      worker = server.ready_workers.first.pid
      server.signal(:STOP) # else it might be faster than this test
      ask(server, "/late_stuck") do |_socket|
        server.wait { server.ready_workers.first.started_ms.positive? }
        server.signal(:KILL)
        server.wait_for_end
        eventually { !File.exist?("/proc/#{worker}") }
      end
    end
  end
end
