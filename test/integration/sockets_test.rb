# frozen_string_literal: true

require "test_helper"
require "open3"
require_relative "../support/closed_loop"
require_relative "../support/server_over_tcp"

# The listeners of the whole server: each address is served, in all its queues, whoever comes and goes.
class SocketsTest < Coppice::TestCase
  APP = <<~'RUBY'
    run ->(env) { [200, {}, [[Process.pid, env["REMOTE_ADDR"]].join(" ")]] }
  RUBY

  # So many connections are spread over two queues; that one gets none of them has a chance of 2 ** -63.
  CONNECTIONS = 64

  def serve(**options, &block) = ServerOverTcp.open(app: APP, **options, &block)

  # The pids that serve as many connections.
  def pids_that_serve(server) = Array.new(CONNECTIONS) { server.get.body.to_i }.uniq.sort

  def listening_backlogs(*filter)
    output, status = Open3.capture2e("ss", "-Hln", *filter)
    flunk output unless status.success?
    output.lines.map { |line| line.split[filter.first == "--unix" ? 3 : 2].to_i }
  rescue Errno::ENOENT
    skip "there is no ss"
  end

  test "the queue of a worker that was taken away is served by those that stay" do
    serve(listen: { queues: 2, queues_per_worker: 1 }, config: "worker_processes 2") do |server|
      narrow = server.ready_workers.map(&:pid)
      server.signal(:TTOU)
      server.wait do
        server.board.workers_count == 1 && server.settled?(0) && (narrow & server.rows(:worker).map(&:pid)).empty?
      end

      assert_equal server.ready_workers.map(&:pid), pids_that_serve(server)
    end
  end

  test "one worker serves an IPv4 and a Unix socket" do
    serve do |server|
      pid = server.ready_workers.first.pid

      assert_equal "#{pid} 127.0.0.1", server.get.body
      UNIXSocket.open(server.socket_path) do |client|
        client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert_match(/^#{pid} 127\.0\.0\.1\z/, client.read)
      end
    end
  end

  test "an IPv6 socket" do
    skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
    serve(host: "::1") { |server| assert_equal "#{server.ready_workers.first.pid} ::1", server.get.body }
  end

  test "an IPv4 client of an IPv6 socket keeps its address" do
    skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
    serve(host: "::") do |server|
      TCPSocket.open("127.0.0.1", server.port) do |client|
        client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert_match(/ 127\.0\.0\.1\z/, client.read)
      end
    end
  end

  test "the backlog is the kernel's" do
    serve(listen: { backlog: 37 }, config: "listen 'unix:small.sock', backlog: 5") do |server|
      assert_equal [37], listening_backlogs("--tcp", "sport = :#{server.port}")
      assert_equal [5], listening_backlogs("--unix", "src = #{server.path('small.sock')}")
    end
  end

  test "each queue has its worker" do
    serve(listen: { queues: 2, queues_per_worker: 1 }, config: "worker_processes 2") do |server|
      assert_equal server.ready_workers.map(&:pid).sort, pids_that_serve(server)
    end
  end

  test "the queue of a worker that was killed is its successor's" do
    serve(listen: { queues: 2, queues_per_worker: 1 }, config: "worker_processes 2") do |server|
      victim = server.ready_workers.first.pid
      server.signal(:KILL, to: victim)
      server.wait { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == victim } }

      assert_equal server.ready_workers.map(&:pid).sort, pids_that_serve(server)
    end
  end

  test "queues lose no connection while generations change" do
    serve(listen: { queues: 2, queues_per_worker: 1 }, config: "worker_processes 2") do |server|
      load = ClosedLoop.new(server, clients: 3, paths: ["/"])
      load.start
      2.times { refork(server) }
      load.stop

      assert_empty load.failures
      assert_operator load.answers, :>, 0
    end
  end

  test "a server that shares its address gets all connections when the other one has left" do
    serve(listen: { reuseport: true }) do |first|
      serve(listen: { reuseport: true }, config: "listen '127.0.0.1:#{first.port}', reuseport: true") do |second|
        pids = [first, second].map { |server| server.ready_workers.first.pid }
        assert_equal pids.sort, pids_that_serve(first)
        first.stop

        assert_equal [pids.last], pids_that_serve(first)
      end
    end
  end

  def refork(server)
    generation = server.board.generation
    server.signal(:USR2)
    server.wait { server.settled?(generation + 1) }
  end
end
