# frozen_string_literal: true

require "test_helper"
require_relative "../support/gate"
require_relative "../support/loopback_ports"
require_relative "../support/server"

# A stop that clients do not notice.
class StoppingTest < Coppice::TestCase
  SLOW = <<~RUBY
    run(lambda do |_env|
      IO.select(nil, nil, nil, 0.01)
      [200, { "content-type" => "text/plain" }, [Coppice::Info.shutting_down?.to_s]]
    end)
  RUBY
  REQUEST = "GET / HTTP/1.1\r\nHost: test\r\n\r\n"

  # So many clients, all in the queue before anybody looks at what becomes of them.
  def clients(count, address = nil)
    Array.new(count) do
      socket = address ? TCPSocket.new(*address) : yield
      socket.tap { |client| client.write(REQUEST) }
    end
  end

  def statuses(clients) = clients.map { |client| BoundedWait.read(client)[%r{\AHTTP/1.1 (\d+)}, 1] }.tally

  test "all who had connected when the stop came are answered" do
    Server.open(app: SLOW, config: "worker_processes 2") do |server|
      waiting = clients(100) { server.connect }
      server.signal(:TERM)

      assert_equal({ "200" => 100 }, statuses(waiting))
      assert_equal 0, server.wait_for_end.exitstatus
    ensure
      waiting&.each(&:close)
    end
  end

  test "all who had connected to workers when the monitor was killed are answered" do
    assert_answered_without_monitor(lobby: false)
  end

  soak_test "all who had connected to the lobby when the monitor was killed are answered" do
    assert_answered_without_monitor(lobby: true)
  end

  def assert_answered_without_monitor(lobby:)
    port = LoopbackPorts.free(1).first
    listen = "listen '127.0.0.1:#{port}', queues: 2, lobby: #{lobby}"
    Server.open(app: SLOW, config: "worker_processes 2\n#{listen}") do |server|
      waiting = clients(50) { server.connect } + clients(50, ["127.0.0.1", port])
      server.signal(:KILL)

      assert_equal({ "200" => 100 }, statuses(waiting))
    ensure
      waiting&.each(&:close)
    end
  end

  { "workers" => false, "the lobby" => true }.each do |name, lobby|
    test "all who had connected to #{name} by TCP are answered, from each queue" do
      port = LoopbackPorts.free(1).first
      listen = "listen '127.0.0.1:#{port}', queues: 3, lobby: #{lobby}"
      Server.open(app: SLOW, config: "worker_processes 2\n#{listen}") do |server|
        waiting = clients(100, ["127.0.0.1", port])
        server.signal(:TERM)

        assert_equal({ "200" => 100 }, statuses(waiting))
        assert_equal 0, server.wait_for_end.exitstatus
        assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port) }
      ensure
        waiting&.each(&:close)
      end
    end
  end

  # They have a second: the kernel may hold them back for as long.
  { "workers" => false, "the lobby" => true }.to_a.product([0, 0.5]).each do |(name, lobby), delay|
    soak_test "those who had connected to #{name} and send a request after the signal, with a delay of #{delay} s" do
      port = LoopbackPorts.free(1).first
      config = "worker_processes 2\nshutdown_delay #{delay}\nlisten '127.0.0.1:#{port}', lobby: #{lobby}"
      Server.open(app: SLOW, config: config) do |server|
        waiting = Array.new(20) { TCPSocket.new("127.0.0.1", port) }
        server.signal(:TERM)
        server.wait { server.rows(:mold).empty? } # a server that waits for nobody has closed its listeners by then
        waiting.each { |client| client.write(REQUEST) }

        assert_equal({ "200" => 20 }, statuses(waiting))
        assert_equal 0, server.wait_for_end.exitstatus
      ensure
        waiting&.each(&:close)
      end
    end
  end

  HELD = <<~RUBY.freeze
    run(lambda do |env|
      #{Gate.code('gate')} if env["PATH_INFO"] == "/held"
      [200, { "content-type" => "text/plain" }, ["answered"]]
    end)
  RUBY

  DELAY = 0.5 # seconds

  # In each of these places of the order, the monitor is the one that gets the signal.
  test "TERM to every process of the server, to the monitor first, is a graceful stop" do
    assert_stops_gracefully(place: 0)
  end

  test "TERM to every process of the server, to the monitor last, is a graceful stop" do
    assert_stops_gracefully(place: -1)
  end

  soak_test "TERM to every process of the server, to the monitor in between, is a graceful stop" do
    assert_stops_gracefully(place: 2)
  end

  def assert_stops_gracefully(place:)
    Server.open(app: HELD, config: "worker_processes 3\nshutdown_delay #{DELAY}") do |server|
      clients = Array.new(2) { server.connect }
      Gate.new(server.path("gate")).closed do
        clients.each { |client| client.write("GET /held HTTP/1.1\r\nHost: test\r\n\r\n") }
        server.wait { server.ready_workers.count { |row| row.started_ms.positive? } == 2 }
        children = server.children(server.pid)
        since = monotonic_now
        terminate(server, children.insert(place, server.pid))
        server.wait { server.board.shutting_down == 1 }

        assert_equal "answered", answer_within(server, DELAY, since)
      end

      assert_equal(%w[200 200], clients.map { |client| BoundedWait.read(client)[%r{\AHTTP/1.1 (\d+)}, 1] })
      assert_equal 0, server.wait_for_end.exitstatus
    ensure
      clients&.each(&:close)
    end
  end

  test "TERM to every process while the application boots ends the start with status 0" do
    loading = 'loop { IO.select(nil, nil, nil, 0.01); File.write("steps", ".", mode: "a") }'
    Server.open(app: loading, config: "worker_processes 1", ready: false) do |server|
      server.wait { steps(server).positive? }
      before = steps(server)
      server.signal(:TERM, to: server.children(server.pid).first)
      server.wait { steps(server) > before + 20 }
      server.signal(:TERM)

      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "with a delay it goes on serving, tells the application, and keeps its workers up" do
    Server.open(app: SLOW, config: "worker_processes 1\nshutdown_delay 60") do |server|
      assert_equal "false", server.get.body
      server.signal(:TERM)
      server.wait { server.board.shutting_down == 1 }

      assert_equal "true", server.get.body
      first = server.ready_workers.first.pid
      server.signal(:KILL, to: first)
      server.wait { server.ready_workers.any? { |row| row.pid != first } }

      assert_equal "true", server.get.body
      server.signal(:INT)
      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  soak_test "when the delay is over, it stops" do
    Server.open(app: SLOW, config: "shutdown_delay 0.5") do |server|
      server.signal(:TERM)

      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "nobody who waits is lost when a worker is taken away" do
    Server.open(app: SLOW, config: "worker_processes 3") do |server|
      waiting = clients(100) { server.connect }
      [2, 1].each do |count| # two signals in a row may become one
        server.signal(:TTOU)
        server.wait { server.board.workers_count == count }
      end

      assert_equal({ "200" => 100 }, statuses(waiting))
      server.wait { server.rows(:worker).size == 1 }
    ensure
      waiting&.each(&:close)
    end
  end

  private

  # An idle worker may exit meanwhile: when the delay is over before this test has come to it.
  def terminate(server, pids)
    pids.each do |pid|
      server.signal(:TERM, to: pid)
    rescue Errno::ESRCH
      next
    end
  end

  # How often the application that never ends loading has added to its file.
  def steps(server) = File.exist?(server.path("steps")) ? File.size(server.path("steps")) : 0

  # "answered", also when the delay is over: on a slow machine the client may come too late.
  def answer_within(server, seconds, since)
    server.get("/").body
  rescue Errno::ENOENT, Errno::ECONNREFUSED
    raise unless monotonic_now - since > seconds

    "answered"
  end
end
