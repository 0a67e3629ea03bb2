# frozen_string_literal: true

require "test_helper"
require_relative "../support/sandboxed_server"
require_relative "../support/server"

# What applications, hooks and sandboxes do to the processes of the server, which goes on. No time-out may be the reason
# why it does.
class OddApplicationsTest < Coppice::TestCase
  HELLO = "run ->(_env) { [200, {}, [Process.pid.to_s]] }"
  PATIENT = "worker_processes 2\ntimeout 3600\n"

  # What applications do so that their own children leave no zombies. The status of a middle process is lost by it.
  WAIT_FOR_ANY = "trap(:CHLD) do\nProcess.wait(-1, Process::WNOHANG)\nrescue Errno::ECHILD\nnil\nend"
  IGNORE_CHLD = "trap(:CHLD, 'IGNORE')"

  CLOSE_ALL = "ObjectSpace.each_object(IO) { |io| io.close unless io.closed? || io.fileno < 3 }"

  OWN_SLEEP = "class Object\ndef sleep(*) = raise('the application sleeps')\nend"

  def serve(app: HELLO, config: "", **options, &block)
    Server.open(app: app, config: PATIENT + config, **options, &block)
  end

  def pids(server, role = :worker) = server.rows(role).map(&:pid)

  # Kills the first worker, and waits for its successor.
  def replace_worker(server)
    victim = pids(server).first
    server.signal(:KILL, to: victim)
    server.wait { server.gone?(victim) && server.ready_workers.size == 2 }
  end

  def refork(server)
    generation = server.rows(:mold).first.generation
    server.signal(:USR2)
    server.wait { server.settled?(generation + 1) }
  end

  soak_test "an application that makes itself a subreaper has its workers replaced, and reforks" do
    serve(app: "Coppice::OS.become_subreaper\n#{HELLO}") do |server|
      replace_worker(server)
      refork(server)
      replace_worker(server)

      assert_equal 200, server.get.status
    end
  end

  ODDITIES = {
    "whose trap waits for any child" => WAIT_FOR_ANY,
    "whose trap ignores the signal and whose objects have a sleep of their own" => "#{IGNORE_CHLD}\n#{OWN_SLEEP}",
  }.freeze

  ODDITIES.each do |name, oddity|
    test "an application #{name} boots, reforks, and has its workers replaced" do
      serve(app: "#{oddity}\n#{HELLO}") do |server|
        refork(server)
        replace_worker(server)

        assert_equal 200, server.get.status
      end
    end
  end

  soak_test "a worker whose application becomes another program is replaced at once" do
    app = "run ->(env) { env['PATH_INFO'] == '/exec' ? exec('sleep', '3600') : [200, {}, [Process.pid.to_s]] }"
    serve(app: app) do |server|
      before = pids(server)
      assert_raises(EOFError) { server.get("/exec") }
      server.wait { (before - pids(server)).any? && server.ready_workers.size == 2 }

      assert_equal 200, server.get.status
    end
  end

  soak_test "a worker whose application has closed all its IOs is replaced" do
    app = "run ->(env) { #{CLOSE_ALL} if env['PATH_INFO'] == '/close'; [200, {}, [Process.pid.to_s]] }"
    serve(app: app) do |server|
      closed = server.get("/close").body.to_i
      server.wait { !pids(server).include?(closed) && server.ready_workers.size == 2 }

      assert_match(/level=error .*role=worker .*must not close descriptors/, server.log)
    end
  end

  soak_test "so is such a mold" do
    hook = "after_fork_in_parent { #{CLOSE_ALL} if File.exist?('close') && File.read('close') == Process.pid.to_s }\n"
    serve(config: hook) do |server|
      mold = pids(server, :mold).first
      File.write(server.path("close"), mold.to_s)
      server.signal(:KILL, to: pids(server).first)
      server.wait { server.gone?(mold) && server.ready_workers.size == 2 }

      assert_match(/level=error .*role=mold .*must not close descriptors/, server.log)
    end
  end

  test "an error in before_fork ends neither the mold nor a worker, and the next fork succeeds" do
    config = "before_fork { File.exist?('broken') && File.write('broken', '.', mode: 'a') && raise('no fork') }\n"
    serve(config: "#{config}refork_backoff 0.1") do |server|
      before = [pids(server).sort, pids(server, :mold)]
      server.get
      File.write(server.path("broken"), "")
      server.signal(:USR2)
      server.wait { File.size(server.path("broken")) >= 3 } # each try is made when the one before is over

      assert_equal before, [pids(server).sort, pids(server, :mold)]
      File.delete(server.path("broken"))
      server.wait { server.settled?(server.rows(:mold).first.generation) && pids(server, :mold) != before.last }

      assert_equal 200, server.get.status
    end
  end

  { "waits for any child" => "Thread.new { loop { Process.wait } rescue retry }",
    "ignores CHLD" => "trap(:CHLD, 'IGNORE')" }.each do |name, reaping|
    test "a hook of the monitor that #{name} keeps no worker from being replaced, and the server from its end" do
      serve(config: "after_monitor_ready { #{reaping}; File.write('reaping', '') }") do |server|
        server.wait { File.exist?(server.path("reaping")) }
        replace_worker(server)

        assert_equal 200, server.get.status
        server.signal(:TERM)
        server.wait_for_end
      end
    end
  end

  def skip_without_sandbox
    obstacle = SandboxedServer.obstacle
    skip obstacle if obstacle
  end

  soak_test "where the kernel gives no pidfd, forks are waited for all the same" do
    skip_without_sandbox
    SandboxedServer.open(app: HELLO, config: PATIENT, without: [:pidfd_open]) do |server|
      refork(server)
      replace_worker(server)

      assert_equal 200, server.get.status
    end
  end

  test "where the kernel gives no memory file, worker processes are refused by name, and one process serves" do
    skip_without_sandbox
    SandboxedServer.open(app: HELLO, config: PATIENT, without: [:memfd_create], ready: false) do |server|
      assert_equal 1, server.wait_for_end.exitstatus
      assert_match(/\Acoppice: .* memfd_create\(2\).* --workers 0\n\z/, server.log)
    end
    SandboxedServer.open(app: HELLO, config: "worker_processes 0", without: [:memfd_create], ready: false) do |server|
      assert_equal 200, server.wait { answer_of(server) }.status # it has no board to look at
    end
  end

  # nil while nobody listens.
  def answer_of(server)
    server.get
  rescue Errno::ENOENT, Errno::ECONNREFUSED
    nil
  end
end
