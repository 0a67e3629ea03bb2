# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# Requests that take too long, and processes that never get ready.
class TimeoutsTest < Coppice::TestCase
  APP = <<~RUBY
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/hang" then sleep # app: forever
      when "/stuck"
        loop do
          IO.select(nil)
        rescue Exception # why: the application that this test is about
          next
        end
      when "/begun" then return [200, {}, Enumerator.new { |body| (body << "first") && sleep }] # app: forever
      when "/deaf" then Process.kill(:STOP, Process.pid) # app: then the soft timeout does not run either
      when "/extended"
        env["pitchfork.timeout"].extend_deadline(30)
        IO.select(nil, nil, nil, 0.8)
      when "/lowered"
        env["coppice.timeout"].extend_deadline(-600)
        sleep # app: forever
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def serve(config, &block) = Server.open(app: APP, config: config, &block)

  # Sends a request, and yields its socket without waiting for the answer.
  def ask(server, path)
    socket = server.connect
    socket.write("GET #{path} HTTP/1.1\r\nHost: x\r\n\r\n")
    yield socket
  ensure
    socket&.close
  end

  # Waits until the only worker, which gets a request, was replaced.
  def lose_the_worker(server)
    pid = server.ready_workers.first.pid
    ask(server, "/") { server.wait { server.ready_workers.any? { |row| row.pid != pid } } }
  end

  # Waits until the worker of a request that nothing but the monitor can end was replaced.
  def lose_a_worker(server)
    ask(server, "/deaf") do |_socket|
      pid = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }.pid
      server.wait { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == pid } }
    end
  end

  test "a worker whose request takes too long exits, after the hook has seen the request" do
    config = <<~RUBY
      worker_processes 2
      timeout 0.5, cleanup: 10
      after_worker_exit { |_server, worker, _status| File.write(File.join(__dir__, "cause"), worker.exit_report.cause) }
      after_worker_timeout do |server, worker, info|
        info.copy_thread_variables!
        File.write("note", [worker.nr, info.rack_env["PATH_INFO"], info.thread == Thread.main].join(" "))
      end
    RUBY
    serve(config) do |server|
      ask(server, "/hang") do |socket|
        busy = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }
        nr = busy.nr
        pid = busy.pid
        server.wait { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == pid } }

        assert_equal "#{nr} /hang true", File.read(server.path("note"))
        assert_match(/\AHTTP\/1.1 503 .*^retry-after: \d+\r\n.*took too long/mi, socket.read)
        server.wait { File.size?(server.path("cause")) }
        assert_equal "timeout", File.read(server.path("cause"))
      end
    end
  end

  test "a worker that exits for a request calls before_worker_exit on its main thread, after the request's cleanup" do
    app = <<~'RUBY'
      note = ->(text) { File.write("notes", "#{text}\n", mode: "a") }
      run(lambda do |_env|
        sleep # app: forever
      ensure
        note.call("request")
      end)
    RUBY
    config = <<~'RUBY'
      worker_processes 1
      timeout 0.3, cleanup: 10
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
    hook = "before_worker_exit { |*| File.write('hook', '') && sleep }"
    serve("worker_processes 1\ntimeout 0.5, cleanup: 1\n#{hook}") do |server|
      pid = server.ready_workers.first.pid
      ask(server, "/hang") do
        deadline_ms = server.wait { server.ready_workers.map(&:deadline_ms).find(&:positive?) }
        server.wait { File.exist?(server.path("hook")) }

        assert_in_delta deadline_ms, server.ready_workers.find { |row| row.pid == pid }.deadline_ms, 2
        server.wait { server.ready_workers.any? { |row| row.pid != pid } }
      end
    end
  end

  test "the client of an application that lets nothing end it is answered all the same" do
    serve("worker_processes 1\ntimeout 0.3, cleanup: 20") do |server|
      ask(server, "/stuck") { |socket| assert_match(%r{\AHTTP/1.1 503 }, socket.readpartial(4096)) }
      server.signal(:KILL, to: server.ready_workers.first.pid)
    end
  end

  test "an answer that has begun when the time is over is cut off" do
    serve("worker_processes 1\ntimeout 0.5, cleanup: 10") do |server|
      ask(server, "/begun") do |socket|
        bytes = socket.read

        assert_match(%r{\AHTTP/1.1 200 }, bytes)
        refute_match(/503|0\r\n\r\n\z/, bytes)
      end
    end
  end

  test "a worker whose exit hook hangs is replaced, also when the monitor did not ask it to leave" do
    serve("worker_processes 1\ntimeout 0.3, cleanup: 0.3\nbefore_worker_exit { |*| sleep }") do |server|
      pid = server.ready_workers.first.pid
      server.signal(:TERM, to: pid)
      server.wait { server.ready_workers.any? { |row| row.pid != pid } }

      assert_equal 200, server.get.status
    end
  end

  test "a worker that cannot exit is killed by the monitor" do
    serve("worker_processes 2\ntimeout 0.3, cleanup: 0.3") do |server|
      lose_a_worker(server)

      assert_equal 200, server.get.status
    end
  end

  test "a block that cannot choose the signal does not keep the worker alive, nor end the monitor" do
    config = "worker_processes 2\ntimeout 0.3, cleanup: 0.3\ntimeout_signal { |_pid| raise 'no idea' }"
    serve(config) do |server|
      lose_a_worker(server)

      assert_equal 200, server.get.status
    end
  end

  test "a hook after the request is still within its deadline" do
    config = <<~RUBY
      worker_processes 1
      timeout 0.5, cleanup: 0.5
      after_request_complete do |_server, _worker, env|
        env["coppice.timeout"].extend_deadline(1)
        IO.select(nil) if env["PATH_INFO"] == "/hook"
      end
    RUBY
    serve(config) do |server|
      pid = server.get("/").body

      assert_equal pid, server.get("/hook").body
      server.wait { server.ready_workers.any? { |row| row.pid.to_s != pid } }
      refute_equal pid, server.get("/").body
    end
  end

  test "a request may ask for more time" do
    serve("worker_processes 1\ntimeout 0.3, cleanup: 0.1") do |server|
      pid = server.ready_workers.first.pid

      assert_equal pid.to_s, server.get("/extended").body
      assert_equal pid.to_s, server.get("/").body
    end
  end

  test "a request may ask for less time: its client is answered then, and the hook sees it" do
    config = <<~RUBY
      worker_processes 1
      timeout 60, cleanup: 3
      after_worker_timeout do |_server, _worker, info|
        File.write(File.join(__dir__, "late"), info.rack_env["PATH_INFO"])
      end
    RUBY
    serve(config) do |server|
      ask(server, "/lowered") { |socket| assert_match(%r{\AHTTP/1.1 503 }, socket.readpartial(4096)) }
      server.wait { File.size?(server.path("late")) }

      assert_equal "/lowered", File.read(server.path("late"))
    end
  end

  test "a request that cannot be ended ends with its worker, even without a monitor" do
    serve("worker_processes 1\ntimeout 0.3, cleanup: 0.2") do |server|
      ask(server, "/stuck") do |_socket|
        worker = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }.pid
        server.signal(:KILL)
        server.wait_for_end
        eventually(20) { !File.exist?("/proc/#{worker}") }
      end
    end
  end

  test "an idle worker outlives any timeout" do
    serve("worker_processes 1\ntimeout 0.2, cleanup: 0.1") do |server|
      pid = server.get.body
      waited = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 1
      eventually { Process.clock_gettime(Process::CLOCK_MONOTONIC) > waited }

      assert_equal pid, server.get.body
    end
  end

  test "a worker that hangs before it is ready is killed and another one tried" do
    marker = File.join(Dir.tmpdir, "coppice-spawn-#{Process.pid}")
    config = <<~RUBY
      worker_processes 2
      spawn_timeout 0.5
      after_worker_fork do |_server, worker|
        if worker.nr == 1 && !File.exist?(#{marker.inspect})
          File.write(#{marker.inspect}, "")
          Process.kill(:STOP, Process.pid)
        end
      end
    RUBY
    serve(config) do |server|
      assert_path_exists marker
      assert_equal [0, 1], server.ready_workers.map(&:nr).sort
    end
  ensure
    FileUtils.rm_f(marker)
  end

  test "a mold whose hook hangs is given up, and the old one stays" do
    config = <<~RUBY
      worker_processes 2
      spawn_timeout 0.5
      refork_backoff 0.1
      after_mold_fork { |_server, mold| Process.kill(:STOP, Process.pid) if mold.generation.positive? }
    RUBY
    serve(config) do |server|
      mold = server.rows(:mold).first.pid
      workers = server.ready_workers.map(&:pid)
      server.signal(:USR2)
      server.wait { server.rows(:mold).size == 2 || server.rows(:mold).first&.generation == 1 }
      server.wait { server.rows(:mold).map(&:pid) == [mold] }

      assert_equal workers.sort, server.ready_workers.map(&:pid).sort
      assert_equal 200, server.get.status
    end
  end

  test "too many spawn errors in a row end the server with status 1" do
    config = "worker_processes 1\nmax_consecutive_spawn_errors 3\nafter_worker_fork { |_server, _worker| raise 'no' }"
    Server.open(app: APP, config: config, ready: false) do |server|
      assert_equal 1, server.wait_for_end(30).exitstatus
    end
  end
end
