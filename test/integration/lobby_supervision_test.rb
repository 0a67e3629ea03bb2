# frozen_string_literal: true

require "net/http"
require "test_helper"
require_relative "../support/gate"
require_relative "../support/process_state"
require_relative "../support/server_over_tcp"

# The lobby among the processes of a real server: what its clients notice when a part of it dies, and when it stops.
class LobbySupervisionTest < Coppice::TestCase
  include ProcessState

  APP = <<~RUBY
    run(lambda { |env| [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] })
  RUBY
  SLOW = <<~RUBY
    run(lambda do |_env|
      IO.select(nil, nil, nil, 0.01)
      [200, { "content-type" => "text/plain" }, ["slow"]]
    end)
  RUBY
  REQUEST = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

  def serve(app: APP, config: "worker_processes 2", **options, &block)
    ServerOverTcp.open(app: app, config: config, listen: { lobby: true }, **options, &block)
  end

  # Status, value of "connection", body. The client's connection is still open.
  def ask(client)
    client.write(REQUEST)
    head = BoundedWait.readable(client).gets("\r\n\r\n") or return
    body = client.read(head[/content-length: (\d+)/i, 1].to_i)
    [head[/\d{3}/], head[/^connection: (\S+)/i, 1], body]
  end

  def with_client(server)
    client = server.connect
    yield client
  ensure
    client&.close
  end

  # Until the only connection is idle, and the loop waits. A loop that is killed while it has a connection in hand takes
  # that one along.
  def await_quiet(server)
    server.wait { server.board.lobby.idle == 1 && asleep?(server.parts_of_lobby.fetch("coppice lobby")) }
  end

  def kill(server, *titles)
    former = server.parts_of_lobby
    former.values_at(*titles).each { |pid| server.signal(:KILL, to: pid) }
    server.wait { (now = server.parts_of_lobby).size == 2 && titles.none? { |title| now[title] == former[title] } }
  end

  test "one connection serves many requests, workers accept none, and INT ends the lobby at once" do
    serve do |server|
      with_client(server) do |client|
        answers = Array.new(20) { ask(client) }

        assert_equal [["200", nil]], answers.map { |status, connection| [status, connection] }.uniq
        assert_operator server.board.lobby.accepted, :>=, 1
        assert_equal 20, server.board.lobby.requests
        server.signal(:INT)

        assert_predicate server.wait_for_end, :exited?
        assert_nil BoundedWait.readable(client).read(1)
      end
    end
  end

  test "listeners with the lobby and without serve side by side, and the application keeps the user's limit" do
    app = APP.sub("Process.pid", "Process.getrlimit(:NOFILE).first")
    serve(app: app, config: "worker_processes 1\nmax_connections 9000") do |server|
      direct = UNIXSocket.new(server.socket_path)
      direct.write(REQUEST)

      assert_match(/^connection: close/i, BoundedWait.read(direct))
      limit = Process.getrlimit(:NOFILE).first.to_s # of descriptors
      assert_equal(["200", nil, limit], with_client(server) { |client| ask(client) })
    ensure
      direct&.close
    end
  end

  test "no connection is lost with the loop, nor with the keeper" do
    serve do |server|
      with_client(server) do |client|
        assert_equal "200", ask(client).first
        ["coppice lobby", "coppice lobby keeper"].each do |title|
          await_quiet(server)
          kill(server, title)

          assert_equal "200", ask(client).first
        end
        assert_equal 1, server.board.lobby.takeovers
      end
    end
  end

  # Two servers, so that the time until each is noticed passes once.
  soak_test "a loop that hangs is killed and a keeper that hangs is replaced, and no connection is lost" do
    serve do |other|
      former = other.parts_of_lobby
      other.signal(:STOP, to: former.fetch("coppice lobby keeper"))
      assert_hanging_loop_is_replaced
      other.wait { ![nil, former["coppice lobby keeper"]].include?(other.parts_of_lobby["coppice lobby keeper"]) }

      assert_equal former["coppice lobby"], other.parts_of_lobby["coppice lobby"]
      with_client(other) do |client|
        ask(client)
        await_quiet(other)
        kill(other, "coppice lobby")

        assert_equal "200", ask(client).first
      end
    end
  end

  def assert_hanging_loop_is_replaced
    serve do |server|
      with_client(server) do |client|
        assert_equal "200", ask(client).first
        await_quiet(server)
        server.signal(:STOP, to: server.parts_of_lobby.fetch("coppice lobby"))

        assert_equal "200", ask(client).first
        assert_equal 1, server.board.lobby.takeovers
      end
    end
  end

  test "when both are lost the same workers serve at the next lobby" do
    serve do |server|
      workers = server.ready_workers.map(&:pid).sort
      # Stopped, neither can replace the other.
      server.parts_of_lobby.each_value { |pid| server.signal(:STOP, to: pid) }
      kill(server, "coppice lobby", "coppice lobby keeper")
      server.wait { server.rows(:lobby).any?(&:ready?) }

      assert_includes workers, Integer(with_client(server) { |client| ask(client) }.last)
      assert_equal workers, server.ready_workers.map(&:pid).sort
    end
  end

  test "a killed worker's successor gets a seat, and no connection is lost by a refork" do
    serve(config: "worker_processes 1") do |server|
      with_client(server) do |client|
        worker = ask(client).last.to_i
        server.signal(:KILL, to: worker)
        server.wait { server.ready_workers.map(&:pid).then { |pids| pids.size == 1 && pids != [worker] } }

        refute_equal worker, ask(client).last.to_i
        server.signal(:USR2)
        server.wait { server.settled?(1) }

        assert_equal "200", ask(client).first
      end
    end
  end

  soak_test "all who had connected when the stop came are answered" do
    serve(app: SLOW) do |server|
      clients = Array.new(100) { server.connect.tap { |client| client.write(REQUEST) } }
      server.signal(:TERM)

      assert_equal({ "200" => 100 }, clients.map { |client| BoundedWait.read(client)[%r{\AHTTP/1.1 (\d+)}, 1] }.tally)
      assert_equal 0, server.wait_for_end.exitstatus
      assert_raises(Errno::ECONNREFUSED) { server.connect }
    ensure
      clients&.each(&:close)
    end
  end

  test "TERM to all processes at once is a graceful stop as well" do
    serve(app: SLOW) do |server|
      clients = Array.new(50) { server.connect.tap { |client| client.write(REQUEST) } }
      server.signal_all(:TERM)

      assert_equal({ "200" => 50 }, clients.map { |client| BoundedWait.read(client)[%r{\AHTTP/1.1 (\d+)}, 1] }.tally)
      assert_equal 0, server.wait_for_end.exitstatus
    ensure
      clients&.each(&:close)
    end
  end

  test "before a delayed stop answers close their connections" do
    serve(config: "worker_processes 1\nshutdown_delay 60") do |server|
      with_client(server) do |client|
        assert_nil ask(client)[1]
        server.signal(:TERM)
        server.wait { server.board.shutting_down == 1 }
        server.wait { with_client(server) { |other| ask(other)[1] == "close" } }

        assert_equal "close", ask(client)[1]
      end
      server.signal(:INT)
      server.wait_for_end
    end
  end

  test "when the monitor is killed the lobby finishes its clients and leaves" do
    serve(app: SLOW) do |server|
      family = server.children(server.monitor_pid)
      clients = Array.new(30) { server.connect.tap { |client| client.write(REQUEST) } }
      server.signal(:KILL)

      assert_equal({ "200" => 30 }, clients.map { |client| BoundedWait.read(client)[%r{\AHTTP/1.1 (\d+)}, 1] }.tally)
      eventually { family.none? { |pid| server.title_of(pid).start_with?("coppice") } }
    ensure
      clients&.each(&:close)
    end
  end

  test "without the program workers accept the clients, and a line of the log says so" do
    assert_workers_accept("/nonexistent", <<~RUBY)
      require "coppice/monitor/lobby/lobby_spawner"
      def (Coppice::Monitor::LobbySpawner).executable = "/nonexistent"
    RUBY
  end

  # As a kernel answers that does not know the seal, and one whose files cannot be sealed at all.
  %w[EINVAL EPERM].each do |error|
    test "where memory cannot be sealed (#{error}) workers accept the clients, and a line of the log says so" do
      assert_workers_accept("cannot seal memory", <<~RUBY)
        IO.prepend(Module.new { def fcntl(command, *) = command == 1033 ? raise(Errno::#{error}) : super })
      RUBY
    end
  end

  def assert_workers_accept(reason, config)
    serve(config: "worker_processes 1\n#{config}") do |server|
      assert_empty server.rows(:lobby)
      with_client(server) { |client| assert_equal "close", ask(client)[1] }
      server.stop # the monitor writes its log on a thread of its own

      assert_equal 1, server.log.lines.grep(/#{reason}/).size, server.log
    end
  end
end
