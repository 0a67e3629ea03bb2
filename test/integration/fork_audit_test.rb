# frozen_string_literal: true

# lane: soak -- a server for each way to break a fork; test/process/fork_audit_test.rb shows the audit itself

require "socket"
require "test_helper"
require "coppice/stats"
require_relative "../support/server"

# The fork audit over applications that are built to fail it, and over those that must pass. The request for a path runs
# the part of the application with that name.
class ForkAuditIntegrationTest < Coppice::TestCase
  NATIVE_THREAD = File.expand_path("../support/native_thread", __dir__)
  APP = <<~'RUBY'
    require "socket"
    require ENV.fetch("NATIVE_THREAD")

    module InForks
      def _fork = super.tap { |pid| Parts.reconnect if pid.zero? }
    end

    module Parts
      class << self
        def hello = nil
        def connect = @db = TCPSocket.new("127.0.0.1", Integer(ENV.fetch("PEER")))
        def disconnect = @db = @db&.close
        def reconnect = disconnect || connect
        def start = (@thread = Thread.new { sleep }).name = "poller"
        def reconnect_in_forks = Process.singleton_class.prepend(InForks)
        def share = Coppice::Info.keep_io(connect)
        def append = (@file = File.open("application.log", "a")).sync = true
        def start_native = NativeThread.start("rdk:main")
        def send_datagram = (@datagrams = UDPSocket.new).connect("127.0.0.1", Integer(ENV.fetch("PEER")))
      end
    end

    run(lambda do |env|
      Parts.public_send(env["PATH_INFO"].delete_prefix("/"))
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def setup
    @peer = TCPServer.new("127.0.0.1", 0)
  end

  def teardown
    @peer.close
  end

  # A server with one worker, which has served these paths.
  def serve(*paths, config: "", app: APP)
    env = { "PEER" => @peer.local_address.ip_port.to_s, "NATIVE_THREAD" => NATIVE_THREAD }
    Server.open(app: app, config: "worker_processes 1\n#{config}", env: env) do |server|
      paths.each { |path| assert_equal 200, server.get("/#{path}").status }
      yield server
    end
  end

  def refork(server, generation)
    server.get("/hello")
    server.signal(:USR2)
    server.wait { server.settled?(generation) }
  end

  # What was logged of findings. The monitor writes its log on a thread of its own, which has done so at the end only.
  def owners(server)
    server.stop
    server.log.scan(/msg="fork audit: .* owner=("[^"]*"|\S+)/).flatten.map { |owner| owner.delete('"') }
  end

  test "a connection that a library opens anew in the fork itself is no finding" do
    serve("connect", "reconnect_in_forks") do |server|
      refork(server, 1)

      assert_empty owners(server)
    end
  end

  test "a connection that the promoted worker has opened is found once, in every generation" do
    serve("connect") do |server|
      refork(server, 1)
      refork(server, 2)

      assert_equal 2, server.board.audit_findings
      assert_equal 0, server.board.refused_commits
      owner = "tcp 127.0.0.1:#{@peer.local_address.ip_port}"
      audit = Coppice::Stats.new(server.board).to_h.fetch(:fork_audit)
      assert_equal [2, 0], audit.values_at(:findings, :refused)
      assert_equal [[:shared_connection, owner, 1]],
        audit[:recent].map { |one| one.values_at(:kind, :owner, :generation) }
      assert_equal [owner], owners(server)
    end
  end

  test "a thread that the promoted worker has started is found" do
    serve("start") do |server|
      refork(server, 1)

      assert_equal 1, server.board.audit_findings
      line = APP.lines.index { |text| text.include?("def start =") } + 1
      assert_equal ["poller config.ru:#{line}"], owners(server)
    end
  end

  test "a native thread of the promoted worker is found" do
    serve("start_native") do |server|
      refork(server, 1)

      assert_equal 1, server.board.audit_findings
      assert_equal ["rdk:main"], owners(server)
    end
  end

  test "with :refuse the old generation serves until nothing is found any more" do
    serve("connect", config: "fork_audit :refuse\nrefork_backoff 0") do |server|
      worker = server.ready_workers.first.pid
      server.signal(:USR2)
      server.wait { server.board.refused_commits.positive? }

      assert_equal 0, server.board.generation
      assert_equal 0, server.ready_workers.find { |row| row.pid == worker }.generation
      # A refused trial may answer before it exits.
      server.wait { server.get("/hello").body == worker.to_s }
      server.wait { server.get("/disconnect").body == worker.to_s }
      server.wait { server.settled?(1) }
    end
  end

  test "a boot is never refused, and what the application leaves open is found" do
    serve("hello", app: "#{APP}\nParts.connect\nParts.start", config: "fork_audit :refuse") do |server|
      assert_equal 2, server.board.audit_findings
      assert_equal 0, server.board.refused_commits
    end
  end

  test "files to append to, datagrams, what is kept on purpose and what starts again are not found" do
    app = <<~RUBY
      #{APP}
      Parts.start
      Coppice.at_fork(after_in_worker: -> { Parts.start })
    RUBY
    serve("append", "send_datagram", "share", app: app) do |server|
      refork(server, 1)
      refork(server, 2)

      assert_equal 0, server.board.audit_findings
    end
  end

  test "connections that are closed in the mold, or opened again in the worker, are not found" do
    closed_by_mold = "after_mold_fork { Parts.disconnect }\nafter_worker_fork { Parts.connect }"
    ["before_fork { Parts.disconnect }", closed_by_mold, "after_worker_fork { Parts.reconnect }"].each do |config|
      serve("connect", config: config) do |server|
        refork(server, 1)
        refork(server, 2)

        assert_equal 0, server.board.audit_findings, config
      end
    end
  end

  test "a client that the application has taken over, and the thread that serves it, are not found" do
    app = <<~'RUBY'
      run(lambda do |env|
        client = env["rack.hijack"].call
        Thread.new { client.write("HTTP/1.1 200 OK\r\n\r\n") && sleep }
        [200, {}, []]
      end)
    RUBY
    serve(app: app) do |server|
      client = server.connect
      client.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      assert_match(/200 OK/, BoundedWait.readable(client).readpartial(100))
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_equal 0, server.board.audit_findings
    ensure
      client&.close
    end
  end

  test "an audit that fails ends no worker, and keeps no mold from being committed" do
    app = <<~'RUBY'
      class Nameless < Thread
        def name = Kernel.raise("no name")
      end
      THREADS = []
      run ->(env) { [200, {}, [THREADS.push(Nameless.new { sleep }).size.to_s]] }
    RUBY
    config = 'after_worker_exit { |_server, _worker, status| File.write("failed", "") unless status.success? }'
    serve("", app: app, config: config) do |server|
      refork(server, 1)

      assert_equal 200, server.get.status
      refute_path_exists server.path("failed")
      assert_equal 0, server.board.audit_findings
    end
  end

  test "with :off nothing is looked for" do
    serve("connect", "start", config: "fork_audit :off") do |server|
      refork(server, 1)

      assert_equal 0, server.board.audit_findings
    end
  end
end
