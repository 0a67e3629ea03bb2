# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice"
require "coppice/config/settings"
require "coppice/threaded_server"
require_relative "../support/http_harness"
require_relative "../support/one_shot_client"

# In this process, on threads, as a test process would run it.
class ThreadedServerTest < Coppice::TestCase
  include OneShotClient

  BOUND = 20 # seconds: no test waits for them

  def setup
    @listener = TCPServer.new("127.0.0.1", 0)
    @log = Coppice::HttpHarness::Log.new
  end

  def teardown
    @server&.stop(0)
    @listener.close
  end

  test "three requests wait for each other" do
    arrived = Queue.new
    all_there = Queue.new
    serve { |_env| arrived.push(true) && answer(BoundedWait.pop(all_there)) }
    clients = Array.new(3) { Thread.new { get.body } }
    3.times { BoundedWait.pop(arrived) }
    3.times { all_there.push("together") }

    assert_equal %w[together] * 3, clients.map { |client| BoundedWait.value_of(client) }
  end

  test "an access log that cannot be opened costs its lines, and not the server" do
    board = Coppice::Board.create
    Dir.mktmpdir do |folder|
      File.mkfifo(pipe = "#{folder}/access")
      serve(row: board.row(0), access_log: [:text, pipe]) { |_env| answer("served") }

      assert_equal "served", get.body
      assert_match(/\Acould not open the access log/, @log.at(:error).first)
    end
  ensure
    board&.close
  end

  test "a request asks its own server" do
    serve { |env| answer(env["PATH_INFO"] == "/inner" ? "inner" : "outer and #{get('/inner').body}") }

    assert_equal "outer and inner", get.body
  end

  test "a stream of events does not hold up other requests" do
    events = Queue.new
    serve { |env| env["PATH_INFO"] == "/events" ? [200, {}, stream_of(events)] : answer("beside") }
    stream = connect
    stream.write("GET /events HTTP/1.1\r\nHost: test\r\n\r\n")
    events.push("data: 1\n\n")

    BoundedWait.readable(stream).readline("data: 1\n\n")
    4.times { assert_equal "beside", get.body }
    events.push("data: 2\n\n")
    BoundedWait.readable(stream).readline("data: 2\n\n")
  ensure
    events.close
    stream&.close
  end

  test "connections on which nothing comes hold up nobody, and are closed by a stop" do
    serve { |_env| answer("served") }
    silent = Array.new(5) { connect }

    assert_equal "served", get.body
    assert @server.stop(BOUND)
    assert_equal [nil] * 5, silent.map(&:getc)
  ensure
    silent&.each(&:close)
  end

  test "heads that have begun hold up nobody, and are served once they are complete" do
    serve { |env| [200, {}, [env["PATH_INFO"]]] }
    begun = Array.new(5) { connect.tap { |client| client.write("GET /slow HTTP/1.1\r\n") } }

    assert_includes get("/quick"), "/quick"
    begun.each { |client| client.write("host: a\r\n\r\n") }
    begun.each { |client| assert_includes BoundedWait.read(client), "/slow" }
  ensure
    begun&.each(&:close)
  end

  test "the env says that there are threads and no other process, and has the client's address" do
    serve { |env| answer(env.values_at("rack.multithread", "rack.multiprocess", "REMOTE_ADDR").join(" ")) }

    assert_equal "true false 127.0.0.1", get.body
  end

  test "what a worker offers an application raises nothing" do
    serve do |env|
      env["coppice.timeout"].extend_deadline(5)
      answer([Coppice.prevent_fork { Coppice::Info.shutting_down? }, env["coppice.worker"].inspect].join(" "))
    end

    assert_equal "false nil", get.body
  end

  test "a stop from another thread waits for the request in flight" do
    arrived = Queue.new
    released = Queue.new
    serve { |_env| arrived.push(true) && answer(BoundedWait.pop(released)) }
    client = Thread.new { get.body }
    BoundedWait.pop(arrived)
    silent = connect
    stopping = Thread.new { @server.stop(BOUND) }

    assert_nil BoundedWait.readable(silent).getc # the stop has begun
    released.push("whole")
    assert_equal ["whole", true], [BoundedWait.value_of(client), BoundedWait.value_of(stopping)]
  ensure
    silent&.close
  end

  test "a stop cuts off a request that takes too long, after its cleanup" do
    arrived = Queue.new
    cleaned = Queue.new
    serve { |_env| wait_forever(arrived, cleaned) }
    client = connect
    client.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n")
    BoundedWait.pop(arrived)

    refute @server.stop(0)
    assert BoundedWait.pop(cleaned)
    assert_nil BoundedWait.readable(client).getc
    assert @server.stop(BOUND) # the thread may still be ending
  ensure
    client&.close
  end

  test "an exception that concerns the process is its client's 500, and costs no thread" do
    serve { |env| env["PATH_INFO"] == "/fails" ? raise(NoMemoryError, "no memory") : answer("served") }
    5.times { assert_equal 500, get("/fails").status }

    assert_equal "served", get.body
    eventually { @log.at(:error).grep(/no memory/).size == 5 } # logged after the answer
  end

  test "an application that ends its thread costs its client, and no thread" do
    serve { |env| env["PATH_INFO"] == "/ends" ? Thread.exit : answer("served") }
    5.times { assert_raises(EOFError) { get("/ends") } }

    assert_equal "served", get.body
    eventually { @log.at(:error) == ["request thread ended"] * 5 } # logged after the client has its end
  end

  test "a failed assertion in the application is its client's 500" do
    serve { |_env| flunk("a failed assertion") }

    assert_equal 500, get.status
  end

  test "the threads end when a listener is closed before the stop" do
    serve { |_env| answer("served") }
    client = connect
    get # so the other client is accepted as well
    @listener.close
    client.close # wakes the thread that accepts
    BoundedWait.value_of(Thread.new { @server.join })

    assert @server.stop(0)
    assert_equal ["no more clients are accepted"], @log.at(:error)
  end

  test "the block is called after each request" do
    paths = Queue.new
    serve(after: ->(env) { paths.push(env["PATH_INFO"]) }) { |_env| answer("served") }
    get("/one")

    assert_equal "/one", BoundedWait.pop(paths)
  end

  test "an early answer reaches a client that is still sending" do
    serve(rewindable_input: false) { |_env| answer("early") }
    client = connect
    client.write("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 3000000\r\n\r\n")
    client.write("x" * 3_000_000)

    assert_operator BoundedWait.read(client), :end_with?, "early"
  ensure
    client&.close
  end

  test "connections on which nothing comes are closed after client_header_timeout" do
    serve(client_header_timeout: 0.01) { |_env| answer("served") }
    silent = connect

    assert_empty BoundedWait.read(silent)
  ensure
    silent&.close
  end

  test "a head that is not complete by then is answered with 408, and blank lines are no head" do
    clients = ["GET / HTTP/1.1\r\n", "\r\n\r\n"].map { |part| connect.tap { |client| client.write(part) } }
    serve(client_header_timeout: 0.01) { |_env| answer("served") }

    page = "408: the head did not arrive within client_header_timeout\n"
    clients.each do |client|
      assert_match(/\AHTTP.1.1 408 .*content-length: #{page.size}\r\n\r\n#{page}\z/m, BoundedWait.read(client))
    end
  ensure
    clients&.each(&:close)
  end

  test "a head with a carriage return too many is refused at once" do
    serve { |_env| answer("served") }
    client = connect
    client.write("GET / HTTP/1.1\r\nHost: test\r\r\n\r\n")

    assert_includes BoundedWait.read(client), " 400 "
  ensure
    client&.close
  end

  test "of too many connections at once the oldest are closed, but those with a head are served" do
    listeners = [@listener, other = TCPServer.new("127.0.0.1", 0)]
    texts = ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: test\r\n\r\n"]
    oldest = texts * 20
    clients = [*oldest.map { |text| [connect, text] }, *Array.new(64) { [connect(other), texts.last] }]
              .each { |client, text| client.write(text) }
    serve(listeners: listeners) { |_env| answer("served") }

    answers = clients.map { |client, _| BoundedWait.read(client)[/ 408 |served|\z/] }
    assert_equal (["", " 408 ", "served"] * 20) + (["served"] * 64), answers
  ensure
    clients&.each { |client, _| client.close }
    @server&.stop(0)
    other&.close
  end

  test "a process that the application has forked keeps no client waiting that was accepted before, and no stop" do
    pid = nil
    serve { |env| answer(env["PATH_INFO"] == "/fork" ? (pid = fork { sleep }).to_s : "whole") }
    asking, silent = Array.new(2) { connect }
    get("/fork")
    asking.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n")

    assert_operator BoundedWait.read(asking), :end_with?, "whole"
    assert @server.stop(BOUND)
    assert_empty BoundedWait.read(silent)
  ensure
    [asking, silent].compact.each(&:close)
    BoundedWait.status_of(pid) if pid && Process.kill(:KILL, pid)
  end

  test "stopped before its threads have begun it leaves no descriptor" do
    before = hundredth_free_descriptor
    20.times { serve { |_env| answer("hello") }.stop(0) }

    assert_equal before, hundredth_free_descriptor
  end

  private

  def serve(after: nil, row: nil, listeners: [@listener], **values, &app)
    @server = Coppice::ThreadedServer.new(app, listeners: listeners, log: @log, row: row,
      settings: Coppice::Config::Settings.new(values: values), &after)
    @server.start
  end

  def hundredth_free_descriptor
    files = Array.new(100) { File.open(File::NULL) }
    files.last.fileno
  ensure
    files.each(&:close)
  end

  def connect(listener = @listener) = TCPSocket.new("127.0.0.1", listener.local_address.ip_port)

  def answer(text) = [200, { "content-type" => "text/plain" }, [text]]

  def stream_of(events)
    lambda do |stream|
      while (event = events.pop)
        stream.write(event)
      end
    end
  end

  def wait_forever(arrived, cleaned)
    arrived.push(true)
    Queue.new.pop
  ensure
    cleaned.push(true)
  end
end
