# frozen_string_literal: true

require "test_helper"
require "open3"
require "coppice/config/maximum"
require_relative "../support/closed_loop"
require_relative "../support/proxy_headers"
require_relative "../support/server_over_tcp"

# The listeners of the whole server: each address is served, in all its queues, whichever workers
# come and go.
class SocketsTest < Coppice::TestCase
  APP = <<~'RUBY'
    run ->(env) { [200, {}, [[Process.pid, env["REMOTE_ADDR"]].join(" ")]] }
  RUBY

  Client = Struct.new(:host, :port) do
    include OneShotClient

    def connect = TCPSocket.new(host, port)
  end

  # So many connections are spread over two queues; that one gets none of them has a chance of 2 ** -63.
  CONNECTIONS = 64

  def serve(**options, &block) = ServerOverTcp.open(app: APP, **options, &block)

  # The pids that serve as many connections.
  def pids_that_serve(server) = Array.new(CONNECTIONS) { server.get.body.to_i }.uniq.sort

  # The last line of the answer.
  def answer_at(socket)
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    BoundedWait.read(socket).lines.last
  ensure
    socket.close
  end

  def listening_backlogs(*filter)
    output, status = Open3.capture2e("ss", "-Hln", *filter)
    flunk output unless status.success?
    output.lines.map { |line| line.split[filter.first == "--unix" ? 3 : 2].to_i }
  rescue Errno::ENOENT
    skip "there is no ss"
  end

  test "behind a PROXY header a request without Host has the address that the proxy was reached at" do
    app = 'run ->(env) { [200, {}, [env.values_at("SERVER_NAME", "SERVER_PORT", "REMOTE_ADDR").join(" ")]] }'
    ServerOverTcp.open(app: app, listen: { lobby: true, proxy_protocol: true }) do |server|
      names = { "TCP4 192.0.2.7 198.51.100.1 4711 8443" => "198.51.100.1 8443 192.0.2.7",
                "UNKNOWN" => "127.0.0.1 #{server.port} 127.0.0.1" }
      names.each do |addresses, seen|
        client = server.connect
        client.write("PROXY #{addresses}\r\nGET / HTTP/1.0\r\n\r\n")

        assert_equal seen, BoundedWait.read(client).lines.last
      ensure
        client&.close
      end
    end
  end

  test "behind a PROXY header of a client that used TLS all requests are https" do
    app = 'run ->(env) { [200, {}, [env.values_at("rack.url_scheme", "SERVER_PORT").join(" "), "\n"]] }'
    headers = Coppice::ProxyHeaders
    serve(app: app, listen: { lobby: true, proxy_protocol: true }) do |server|
      { "https 443" => headers.tls, "http 80" => headers.tls(0) }.each do |seen, tls|
        client = server.connect
        client.write("#{headers.version2(headers::IPV4 + tls)}GET / HTTP/1.1\r\nHost: x\r\n\r\n")

        assert_includes answer_at(client), seen
      end
    end
  end

  test "the clients of a listener with the scheme https have it" do
    app = 'run ->(env) { [200, {}, [env.values_at("rack.url_scheme", "SERVER_PORT").join(" ")]] }'
    [1, 0].each do |workers|
      config = "listen 'unix:https.sock', scheme: :https\nworker_processes #{workers}"
      serve(app: app, listen: { scheme: :https }, config: config) do |server|
        assert_equal "https 443", answer_at(server.connect)
        assert_equal "https 443", answer_at(UNIXSocket.new(server.path("https.sock")))
        assert_equal "http 80", answer_at(UNIXSocket.new(server.socket_path))
      end
    end
  end

  soak_test "as many queues as a worker can be given, and the largest heads, are served" do
    limits = %w[max_request_line_bytes max_header_bytes].map { |name| "#{name} 1024 * 1024\n" }.join
    of_workers = Coppice::Config::Maximum::QUEUES - 1 # the test server has a Unix socket as well
    { true => Coppice::Config::Maximum::LOBBY_QUEUES, false => of_workers }.each do |lobby, queues|
      serve(listen: { queues: queues, lobby: lobby }, config: "#{limits}max_header_count 10_000") do |server|
        assert_equal 200, server.get("/", "X-Long" => "x" * 900 * 1024).status
      end
    end
  end

  test "the queue of a worker that was taken away is served by those that stay" do
    serve(listen: { queues: 2, queues_per_worker: 1, lobby: false }, config: "worker_processes 2") do |server|
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
      expected = "#{server.ready_workers.first.pid} 127.0.0.1"

      assert_equal expected, server.get.body
      assert_equal expected, answer_at(UNIXSocket.new(server.socket_path))
    end
  end

  { "worker" => false, "lobby" => true }.each do |name, lobby|
    test "an IPv6 socket of a #{name} is served, and IPv4 clients of another one keep their address" do
      skip "no IPv6 here" unless Socket.ip_address_list.any?(&:ipv6_loopback?)
      serve(host: "::1", listen: { lobby: lobby }, config: "listen '[::]:0', lobby: #{lobby}") do |server|
        assert_equal "#{server.ready_workers.first.pid} ::1", server.get.body
        assert_match(/ 127\.0\.0\.1\z/, answer_at(TCPSocket.new("127.0.0.1", server.ports.last)))
      end
    end
  end

  soak_test "the backlog is the kernel's" do
    serve(listen: { backlog: 37 }, config: "listen 'unix:small.sock', backlog: 5") do |server|
      assert_equal [37], listening_backlogs("--tcp", "sport = :#{server.port}")
      assert_equal [5], listening_backlogs("--unix", "src = #{server.path('small.sock')}")
    end
  end

  test "each queue has its worker, and that of a worker that was killed is its successor's" do
    serve(listen: { queues: 2, queues_per_worker: 1, lobby: false }, config: "worker_processes 2") do |server|
      assert_equal server.ready_workers.map(&:pid).sort, pids_that_serve(server)
      victim = server.ready_workers.first.pid
      server.signal(:KILL, to: victim)
      server.wait { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == victim } }

      assert_equal server.ready_workers.map(&:pid).sort, pids_that_serve(server)
    end
  end

  test "queues of workers and of the lobby lose no connection while the generation changes" do
    lobby = "listen '127.0.0.2:0', queues: 2, queues_per_worker: 1, lobby: true"
    serve(listen: { queues: 2, queues_per_worker: 1, lobby: false }, config: "worker_processes 2\n#{lobby}") do |server|
      addresses = %w[127.0.0.1 127.0.0.2].zip(server.ports)
      load = ClosedLoop.new(server, clients: 4, paths: addresses) { |address| Client.new(*address).get }
      load.during { refork(server) }

      assert_empty load.failures
      assert_operator load.answers, :>, 0
    end
  end

  test "the lobby accepts from all queues" do
    serve(listen: { queues: 4, queues_per_worker: 1, backlog: 64 }) do |server|
      assert_equal [16] * 4, listening_backlogs("--tcp", "sport = :#{server.port}")
      assert_equal server.ready_workers.map(&:pid), pids_that_serve(server)
    end
  end

  soak_test "a server that shares its address gets all connections when the other one has left" do
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
