# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# `worker_processes 0`: one process with threads, for development and debuggers.
class SingleProcessTest < Coppice::TestCase
  APP = <<~'RUBY'
    require "socket"

    BARRIER = { lock: Mutex.new, changed: ConditionVariable.new, arrived: 0 }

    # Answers once three requests are here.
    def meet
      BARRIER[:lock].synchronize do
        BARRIER[:arrived] += 1
        BARRIER[:changed].broadcast
        BARRIER[:changed].wait(BARRIER[:lock]) until BARRIER[:arrived] >= 3
      end
      "met"
    end

    def ask
      socket = UNIXSocket.new(File.join(FOLDER, "socket"))
      socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
      socket.read
    end

    EVENTS = lambda do |stream|
      stream.write("data: 1\n\n")
      File.read(File.join(FOLDER, "go"))
      stream.write("data: 2\n\n")
    end

    def wait
      File.write(File.join(FOLDER, "arrived"), "")
      File.read(File.join(FOLDER, "go"))
      "waited"
    end

    run(lambda do |env|
      text =
        case env["PATH_INFO"]
        when "/meet" then meet
        when "/self" then "answered: #{ask.lines.last}"
        when "/events" then next [200, { "content-type" => "text/event-stream" }, EVENTS]
        when "/wait" then wait
        when "/exit" then exit(7)
        when "/deadline" then env["coppice.timeout"].deadline.to_s
        else "#{Process.pid} #{env["coppice.worker"].nr} #{Coppice::Info.workers_count} #{Coppice::Info.live_workers_count}"
        end
      [200, { "content-type" => "text/plain" }, [text]]
    end)
  RUBY

  HOOKS = <<~'RUBY'
    %i[after_mold_fork after_worker_fork after_worker_ready before_worker_exit].each do |name|
      send(name) { |_server, worker| File.write(File.join(FOLDER, "hooks"), "#{name} #{worker.nr}\n", mode: "a") }
    end
    after_monitor_ready do |server|
      File.write(File.join(FOLDER, "hooks"), "after_monitor_ready #{server.worker_processes}\n", mode: "a")
      raise "on purpose"
    end
    after_request_complete do |_server, worker, env|
      File.write(File.join(FOLDER, "requests"), "#{env["PATH_INFO"]} #{worker.requests_count}\n", mode: "a")
    end
  RUBY

  test "one process serves without a deadline, forks nothing, calls its hooks and exits on TERM" do
    serving do |server|
      server.wait { File.size?(server.path("requests")) } # another thread may have the next one
      assert_equal "#{server.pid} 0 1 1", server.get.body
      assert_equal Float::INFINITY.to_s, server.get("/deadline").body
      assert_equal [server.pid], server.family
      server.wait { lines(server, "hooks").size == 3 }
      assert_equal 0, server.stop.exitstatus
      assert_equal ["after_worker_fork 0", "after_worker_ready 0", "after_monitor_ready 0", "before_worker_exit 0"],
        lines(server, "hooks")
      assert_equal "/ 1", lines(server, "requests").first
    end
  end

  test "after_monitor_ready may take long without holding up the end, and may exit, which ends the server like TERM" do
    serving("after_monitor_ready { File.write(File.join(FOLDER, 'began'), '') && sleep }") do |server|
      server.wait { File.exist?(server.path("began")) }
      assert_equal 0, server.stop.exitstatus
    end
    serving("after_monitor_ready { File.read(File.join(FOLDER, 'go')) && exit(3) }") do |server|
      File.write(server.path("go"), "")
      assert_equal 0, server.wait_for_end.exitstatus
      assert_equal "before_worker_exit 0", lines(server, "hooks").last
    end
  end

  test "it knows that no environment is named, and says so before it binds an address" do
    nameless = { "RACK_ENV" => nil, "RAILS_ENV" => nil }
    config = "worker_processes 0\nlisten '/no/such/folder/socket'\nlisten 3000"
    Server.open(app: "run APP", config: config, env: nameless, ready: false) do |server|
      assert_equal 1, server.wait_for_end.exitstatus
      assert_equal 1, server.log.scan("port 3000 is open to other machines").size
    end
  end

  soak_test "three requests wait for each other" do
    serving do |server|
      clients = Array.new(3) { Thread.new { server.get("/meet").body } }

      assert_equal %w[met] * 3, clients.map { |client| BoundedWait.value_of(client) }
    end
  end

  test "a request asks its own server, beside a stream of events" do
    serving do |server|
      stream = open_stream(server)

      assert_equal "answered: #{server.pid} 0 1 1", server.get("/self").body
      File.write(server.path("go"), "")
      assert_includes BoundedWait.read(stream), "data: 2\n\n"
    ensure
      stream&.close
    end
  end

  test "it exits when its terminal is closed" do
    serving do |server|
      server.signal(:HUP)

      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "TERM waits for the request in flight" do
    serving do |server|
      client = in_flight(server)
      silent = server.connect
      server.signal(:TERM)
      BoundedWait.read(silent) # ends when the server stops
      File.write(server.path("go"), "")

      assert_equal "waited", BoundedWait.value_of(client)
      assert_equal 0, server.wait_for_end.exitstatus
    ensure
      silent&.close
    end
  end

  test "TERM gives requests in flight no longer than the timeout" do
    serving("timeout 0.1") do |server|
      client = in_flight(server)

      assert_equal 0, server.stop.exitstatus
      assert_equal "before_worker_exit 0", lines(server, "hooks").last
      assert_raises(EOFError) { BoundedWait.value_of(client) }
    end
  end

  test "Ctrl-C ends the process at once, and removes its socket" do
    serving do |server|
      client = in_flight(server)
      server.signal(:INT)

      assert_equal 0, server.wait_for_end.exitstatus
      refute_path_exists server.socket_path
      assert_raises(EOFError) { BoundedWait.value_of(client) }
    end
  end

  test "exit in the application ends the process" do
    serving do |server|
      assert_equal 500, server.get("/exit").status
      assert_equal 7, server.wait_for_end.exitstatus
    end
  end

  private

  def serving(config = "")
    options = { app: "FOLDER = File.dirname(__FILE__)\n#{APP}", ready: false,
                config: "FOLDER = File.dirname(__FILE__)\n#{HOOKS}\nworker_processes 0\n#{config}" }
    Server.open(**options) do |server|
      File.mkfifo(server.path("go")) # who reads it waits until the test writes
      server.wait(60, "an answer") { answered?(server) }
      yield server
    end
  end

  def answered?(server)
    server.get.status == 200
  rescue SystemCallError
    false
  end

  def lines(server, name) = File.readlines(server.path(name), chomp: true)

  def open_stream(server)
    stream = server.connect
    stream.write("GET /events HTTP/1.1\r\nHost: test\r\n\r\n")
    BoundedWait.readable(stream).readline("data: 1\n\n")
    stream
  end

  def in_flight(server)
    client = Thread.new { server.get("/wait").body }
    client.report_on_exception = false
    server.wait(60, "the request") { File.exist?(server.path("arrived")) }
    client
  end
end
