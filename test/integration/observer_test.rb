# frozen_string_literal: true

require "open3"
require "test_helper"
require "coppice/observer"
require "coppice/os/process_stat"
require_relative "../support/admin_client"
require_relative "../support/closed_loop"
require_relative "../support/gate"
require_relative "../support/loopback_ports"
require_relative "../support/process_descriptors"
require_relative "../support/server"

# The observer of a real server: what it answers, and that clients are served whatever becomes of it.
class ObserverTest < Coppice::TestCase
  APP = <<~RUBY.freeze
    run(lambda do |env|
      #{Gate.code("gate")} if env["PATH_INFO"] == "/held"
      [200, { "content-type" => "text/plain" }, ["served"]]
    end)
  RUBY
  HELD = "GET /held HTTP/1.1\r\nHost: test\r\n\r\n"

  def serve(config = "", app: APP, workers: 2, **options)
    config = "worker_processes #{workers}\nadmin_listen File.join(__dir__, 'admin')\n#{config}"
    Server.open(app: app, config: config, **options) { |server| yield server, AdminClient.new(server.path("admin")) }
  end

  # Once it is there: its socket is before.
  def observer(server) = server.wait { server.rows(:observer).find(&:ready?) }

  def readiness(admin) = admin.get("/readyz").to_a.values_at(0, 2)

  def idle?(server) = server.rows(:worker).none? { |row| row.started_ms.positive? }

  # Clients that hold so many workers.
  def holding(server, count)
    Gate.new(server.path("gate")).closed do
      clients = Array.new(count) { server.connect.tap { |client| client.write(HELD) } }
      server.wait { server.ready_workers.count { |row| row.started_ms.positive? } == count }
      yield
    ensure
      clients&.each(&:close)
    end
  end

  test "it loads the dashboard when somebody asks for a page, and no other tool" do
    program = "Coppice::Observer.allocate.send(:load_server); puts $LOADED_FEATURES"
    features, status = Open3.capture2(RbConfig.ruby, "-Ilib", "-rcoppice/observer", "-e", program)

    assert_predicate status, :success?
    assert_includes features, "coppice/observer/application.rb"
    assert_empty features.lines.grep(%r{coppice/(tools|dashboard)})
  end

  test "it serves stats, metrics, the last hour, health and what Puma's readers know, until the last worker exits" do
    serve do |server, admin|
      3.times { server.get }
      server.wait { server.rows(:worker).sum(&:requests) == 3 && idle?(server) } # counted once they are answered

      assert_equal 3, admin.json("/stats.json").dig(:totals, :requests)
      assert_equal(3, admin.get("/metrics").body.scan(/^coppice_requests_total{.+} (\d+)/).sum { |(n)| n.to_i })
      server.wait { admin.json("/history.json")[:records].any? }
      assert_equal [2, 2], admin.json("/puma/stats").values_at(:workers, :booted_workers)
      assert_equal "2 of 2 workers ready, 0 busy, 0 clients waiting\n", admin.get("/readyz").body
      assert_equal [200, 200], [admin.get("/livez").status, admin.get("/").status]
      assert_equal [404, "not found. There are / (the dashboard), /livez, /readyz, /metrics, /stats.json, " \
                         "/history.json, /puma/stats\n"], admin.get("/healthz").to_a.values_at(0, 2)
      assert_says_until_the_end_that_it_stops(server, admin)
    end
  end

  def assert_says_until_the_end_that_it_stops(server, admin)
    holding(server, 1) do
      server.signal(:TERM)
      server.wait { server.state == "stopping" } # shutting_down is noted before, at the signal

      assert_equal [503, "the server is stopping\n"], readiness(admin)
    end
    assert_equal 0, server.wait_for_end.exitstatus
    refute_path_exists server.path("admin")
  end

  test "it is a process of its own, which commands list, which only reads the board, and ignores TERM and QUIT" do
    serve do |server, admin|
      pid = observer(server).pid

      assert_equal "coppice observer", File.read("/proc/#{pid}/cmdline").delete("\0").strip
      %w[memory status].each { |command| assert_lists(server, command, pid) }
      assert_only_reads_the_board(pid)
      %i[TERM QUIT].each { |name| server.signal(name, to: pid) }

      assert_equal 200, admin.get("/readyz").status
      assert_equal [pid], server.rows(:observer).map(&:pid)
    end
  end

  def assert_lists(server, command, pid)
    output, status = Open3.capture2e(RbConfig.ruby, "--disable=gems", Server::EXECUTABLE, command,
                                     "--pid", server.pid.to_s)

    assert_predicate status, :success?, output
    assert_match(/observer.*\b#{pid}\b|\b#{pid}\b.*observer/, output)
  end

  def assert_only_reads_the_board(pid)
    maps = File.readlines("/proc/#{pid}/maps").grep(/coppice-board/)

    assert_equal(["r--s"], maps.map { |line| line.split[1] }.uniq)
    assert_equal ["0"], board_descriptors(pid).map { |number| access_mode(pid, number) }.uniq
  end

  # Numbers of its descriptors of the board.
  def board_descriptors(pid) = ProcessDescriptors.of(pid).select { |_, link| link.include?("coppice-board") }.keys

  # The last octal digit of the flags: 0 is O_RDONLY.
  def access_mode(pid, number) = File.read("/proc/#{pid}/fdinfo/#{number}")[/^flags:\s*\d*(\d)/, 1]

  test "while the server boots it is not ready, but live; while no worker is ready it is neither" do
    broken = "after_worker_fork { |*| raise 'no worker' if File.exist?('broken') }"
    serve(broken, app: "#{Gate.code("gate")}\n#{APP}", ready: false) do |server, admin|
      Gate.new(server.path("gate")).closed do
        server.wait { server.board && server.rows(:observer).any?(&:ready?) }

        assert_equal [503, "the server is booting: no worker was ready yet\n"], readiness(admin)
        assert_equal 200, admin.get("/livez").status
      end
      server.wait_until_ready
      assert_equal 200, admin.get("/readyz").status

      lose_all_workers(server)
      answers = %w[/livez /readyz].map { |path| admin.get(path).to_a.values_at(0, 2) }
      assert_equal [[503, "no worker is ready\n"]] * 2, answers
    end
  end

  def lose_all_workers(server)
    FileUtils.touch(server.path("broken"))
    server.ready_workers.each { |row| server.signal(:KILL, to: row.pid) }
    server.wait { server.rows(:worker).none?(&:ready?) }
  end

  test "with all workers busy it is ready until more clients wait than max_waiting" do
    serve("max_waiting 1", lobby: false) do |server, admin|
      holding(server, 2) do
        assert_equal [200, "all 2 ready workers are busy, 0 clients waiting\n"], readiness(admin)
        assert_equal 200, admin.get("/livez").status
        waiting = Array.new(2) { server.connect }

        assert_equal "2 clients waiting, more than max_waiting 1\n", admin.get("/readyz").body
        waiting.each(&:close)
      end
    end
  end

  test "it is not ready while the lobby refuses requests, since max_waiting of them wait" do
    serve("max_waiting 1\nqueue_timeout nil", lobby: true) do |server, admin|
      holding(server, 2) do
        server.wait { readiness(admin) == [200, "all 2 ready workers are busy, 0 clients waiting\n"] }
        waiting = server.connect.tap { |client| client.write(HELD) }
        server.wait { server.board.lobby.waiting == 1 }

        assert_equal 503, server.get.status
        assert_equal [503, "1 clients waiting, and max_waiting 1 allows no more\n"], readiness(admin)
        waiting.close
      end
    end
  end

  # What the board says of the monitor's last turn.
  def make_older(server, seconds:)
    board = Coppice::Board.of_process(server.pid, read_only: false)
    board.beat_ms -= seconds * 1000
    board.close
  end

  test "a monitor that was stopped is neither ready nor live, and when it is killed the observer exits" do
    serve do |server, admin|
      pid = observer(server).pid
      server.signal(:STOP)
      server.wait { Coppice::OS::ProcessStat.of(server.pid).stopped? }
      make_older(server, seconds: 9) # than the monitor has left it, to wait less
      server.wait { admin.get("/readyz").status == 503 }

      assert_match(/\Athe monitor is stopped or hangs: its loop last turned \d+\.\d s ago$/, admin.get("/livez").body)
      assert_equal 200, server.get.status

      server.signal(:KILL)
      server.wait_for_end
      eventually { !File.exist?("/proc/#{pid}") }
    end
  end

  test "killed, it is replaced; stopped, it holds up neither requests nor reforks nor the end of the server" do
    serve do |server, admin|
      first = observer(server).pid
      server.signal(:KILL, to: first)
      statuses = Array.new(50) { server.get.status }
      server.wait { server.rows(:observer).any? { |row| row.ready? && row.pid != first } }

      assert_equal [200], statuses.uniq
      assert_equal 1, admin.json("/stats.json").dig(:exits, :observer, :signal)
      assert_equal 200, admin.get("/readyz").status

      server.signal(:STOP, to: observer(server).pid)
      assert_reforks_unnoticed(server)
      assert_equal 0, server.stop.exitstatus
    end
  end

  def assert_reforks_unnoticed(server)
    clients = ClosedLoop.new(server, clients: 2, paths: ["/"])
    clients.during do
      server.signal(:USR2)
      server.wait { server.settled?(1) && clients.answers > 100 }
    end

    assert_empty clients.failures
  end

  soak_test "administrators who do not go on occupy all threads for no longer than five seconds" do
    serve("client_header_timeout 60") do |server, admin|
      observer(server)
      slow = Array.new(Coppice::Observer::THREADS) do
        admin.connect.tap { |client| client.write("GET /metrics HTTP/1.1\r\n") }
      end

      assert_equal 200, admin.get("/readyz").status
      slow.each { |client| assert_match(/ 408 /, client.gets) }
    ensure
      slow&.each(&:close)
    end
  end

  test "a token is needed where it is set" do
    port = LoopbackPorts.free(1).first
    token = "a-secret-of-the-test"
    serve("admin_listen #{port}\nadmin_token #{token.inspect}") do |_, _|
      admin = AdminClient.new(port)

      assert_equal [200, 401, 200], [admin.get("/readyz").status, admin.get("/metrics").status,
                                     admin.get("/metrics", "Authorization" => "Bearer #{token}").status]
      answer = admin.request("POST", "/login", {}, "token=#{token}")
      assert_equal 200, admin.get("/", "Cookie" => answer.headers["set-cookie"][/\A[^;]+/]).status
      assert_equal 403, admin.get("/metrics", "Host" => "example.com").status
    end
  end

  soak_test "a server without admin_listen has no observer" do
    Server.open(app: APP) { |server| assert_empty server.rows(:observer) }
  end
end
