# frozen_string_literal: true

# lane: soak -- runs in a namespace of processes

require "test_helper"
require "coppice/cli/running_monitor"
require "coppice/control/client"
require_relative "../support/gate"
require_relative "../support/namespaced_server"

# The monitor as process 1 of a container: it is init as well. The kernel keeps from it each signal that it has no
# handler for, and gives it every orphan.
class PidOneTest < Coppice::TestCase
  # /orphan leaves a grandchild behind, whose parent has ended, and answers its pid; /gate waits until it may go on.
  APP = <<~RUBY.freeze
    orphan = lambda do
      reader, writer = IO.pipe
      Process.wait(fork { writer.puts(Process.spawn("sleep", "600")) })
      reader.gets.to_i
    ensure
      [reader, writer].each(&:close)
    end
    run(lambda do |env|
      #{Gate.code('gate')} if env["PATH_INFO"] == "/gate"
      pid = env["PATH_INFO"] == "/orphan" ? orphan.call : Process.pid
      [200, { "content-type" => "text/plain" }, [pid.to_s]]
    end)
  RUBY

  def setup
    obstacle = NamespacedServer.obstacle
    skip obstacle if obstacle
  end

  def serve(config = "worker_processes 2", &block) = NamespacedServer.open(app: APP, config: config, &block)

  def inner_pids(server) = server.board.rows.map(&:pid).sort

  # From outside, what the application calls by the pid that it has inside.
  def outer_pid(server, inner_pid) = server.wait { server.children_by_inner_pid[inner_pid] }

  test "the monitor is process 1, and the parent of all others" do
    serve do |server|
      assert_equal 1, server.board.monitor_pid
      assert_equal 1, server.inner_pid(server.monitor_pid)
      assert_equal inner_pids(server), server.children_by_inner_pid.keys.sort
    end
  end

  test "it is reached by the pid that it has outside, and its name has the one inside" do
    serve do |server|
      client = Coppice::Control::Client.new(pid: server.monitor_pid)

      assert_equal ["3 workers wanted, 2 until now"], client.call("workers", "3")
      assert_match(/\A@coppice-\d+-1\z/,
        Coppice::Control::Endpoint.name(Coppice::Control::Endpoint.of(server.monitor_pid)))
    end
  end

  test "commands that look at its processes from outside say that these have other pids there" do
    serve do |server|
      error = assert_raises(Coppice::Error) { Coppice::CLI::RunningMonitor.board(server.monitor_pid) }

      assert_match(/\Aprocess #{server.monitor_pid} is in another pid namespace/, error.message)
    end
  end

  [:QUIT, :INT, :HUP].each do |name|
    test "#{name} ends everybody, with status 0" do
      serve do |server|
        family = server.children(server.monitor_pid)
        server.signal(name)

        assert_equal 0, server.wait_for_end.exitstatus
        assert_empty(family.select { |child| File.exist?("/proc/#{child}") })
      end
    end
  end

  test "TERM lets a request in flight be answered" do
    serve do |server|
      socket = server.connect
      Gate.new(server.path("gate")).closed do
        socket.write("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
        server.wait { server.ready_workers.any? { |row| row.started_ms.positive? } }
        server.signal(:TERM)
        server.wait { server.board.shutting_down == 1 }
      end

      assert_match(%r{\AHTTP/1.1 200 }, BoundedWait.read(socket))
      assert_equal 0, server.wait_for_end.exitstatus
    ensure
      socket&.close
    end
  end

  test "USR2, TTIN and TTOU are obeyed" do
    serve do |server|
      server.signal(:USR2)
      server.wait { server.settled?(1) }
      server.signal(:TTIN)
      server.wait { server.ready_workers.size == 3 }
      server.signal(:TTOU)
      server.wait { server.board.workers_count == 2 && server.settled?(1) }

      assert_equal inner_pids(server), server.children_by_inner_pid.keys.sort
    end
  end

  test "a killed worker and a killed mold are replaced" do
    serve do |server|
      victims = [server.ready_workers.first.pid, server.rows(:mold).first.pid]
      victims.each { |victim| server.signal(:KILL, to: outer_pid(server, victim)) }
      server.wait { (inner_pids(server) & victims).empty? && server.settled?(0) }

      assert_equal 200, server.get.status
    end
  end

  test "a stranger's orphan that is killed is reaped, and nobody else is touched" do
    serve do |server|
      family = inner_pids(server)
      orphan = outer_pid(server, server.get("/orphan").body.to_i)
      server.signal(:KILL, to: orphan)
      server.wait { !File.exist?("/proc/#{orphan}") }

      assert_equal family, inner_pids(server)
      assert_equal 200, server.get.status
    end
  end

  test "an orphan that lives on does not hold up the end" do
    serve do |server|
      orphan = outer_pid(server, server.get("/orphan").body.to_i)
      server.signal(:TERM)

      assert_equal 0, server.wait_for_end.exitstatus
      refute_path_exists "/proc/#{orphan}"
    end
  end
end
