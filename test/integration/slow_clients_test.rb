# frozen_string_literal: true

# lane: soak -- clients that are slow in real time

require "test_helper"
require "coppice/control/client"
require "coppice/stats"
require_relative "../support/byte_by_byte"
require_relative "../support/process_memory"
require_relative "../support/raw_client"
require_relative "../support/server"
require_relative "../support/slow_clients"

# A slow client costs a worker no more time than the limits allow, and the worker never exits for it.
class SlowClientsTest < Coppice::TestCase
  LARGE_BYTES = 20 * 1024 * 1024

  # Limits of the application, within which a worker may also stand still, and seconds that are more than both together.
  LIMITS = "timeout 6, cleanup: 1"
  LONG = 9

  APP = <<~RUBY.freeze
    run(lambda do |env|
      case env["PATH_INFO"]
      when "/large" then [200, {}, ["x" * #{LARGE_BYTES}]]
      else [200, {}, [[Process.pid, env["rack.input"].read.bytesize].join(" ")]]
      end
    end)
  RUBY

  BODY_HEAD = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"

  # Only the client can cause what happens within seconds.
  PATIENT = "timeout 60\nclient_header_timeout 60\nclient_body_timeout 60\nclient_write_timeout 60\n"

  def serve(config, **options, &block) = Server.open(app: APP, config: PATIENT + config, **options, &block)

  # Yields a client of the only worker, which must then serve the next one; answers what the block does.
  def with_client(server)
    pid = server.ready_workers.first.pid
    answer = RawClient.on(server.connect) { |client| yield client }
    server.wait { body_of_next(server) == "#{pid} 0" }
    assert_equal [pid], server.ready_workers.map(&:pid)
    answer
  end

  # nil for a test that is slow itself: such a client gets 408, or nothing if it came too late with its first byte.
  def body_of_next(server)
    server.get.body
  rescue EOFError, SystemCallError
    nil
  end

  test "a head that trickles is answered with 408" do
    serve("client_header_timeout 6") do |server| # a client that stands still must have sent something by then
      answer = with_client(server) do |client|
        client.write("GET / HTTP/1.1\r\nX: ")
        client.trickle("a")
        client.answer
      end

      assert_equal 408, answer.status
    end
  end

  test "a body that stalls is answered with 408, read ahead or by the application" do
    [true, false].each do |rewindable|
      serve("client_body_timeout 0.5\nrewindable_input #{rewindable}") do |server|
        answer = with_client(server) do |client|
          client.write("#{BODY_HEAD}12345")
          client.answer
        end

        assert_equal 408, answer.status
      end
    end
  end

  test "a body that pauses for less than the limit is read" do
    serve("client_body_timeout 20") do |server|
      answer = with_client(server) do |client|
        client.write(BODY_HEAD)
        client.write_over("1234567890", 0.5)
        client.answer
      end

      assert_equal "10", answer.body.split.last
    end
  end

  # name => what the client sends, and how much of it before the worker is asked to leave
  { "a head" => ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", 10, 0],
    "a body" => ["#{BODY_HEAD}1234567890", BODY_HEAD.size + 5, 10] }.each do |name, (request, first, length)|
    test "a worker that is asked to leave has as long as #{name} takes" do
      serve(LIMITS, lobby: false) do |server|
        reader = server.ready_workers.first.pid
        order = nil
        answer = pausing(server, request, first) do
          order = replace(server)
          stay(server, reader)
        end
        BoundedWait.value_of(order)

        assert_equal "#{reader} #{length}", answer.body
      end
    end
  end

  def stay(server, pid)
    enough = monotonic_now + LONG
    server.wait { monotonic_now > enough }

    assert_includes server.rows(:worker).map(&:pid), pid
  end

  # Answers once the worker is asked to leave: a thread that ends when it has left.
  def replace(server)
    order = Thread.new { Coppice::Control::Client.new(pid: server.pid).call("recycle", "0") }
    server.wait { server.rows(:worker).any? { |row| row.leaving == 1 } }
    order
  end

  # The answer of a client that pauses while the block runs. By then the server has read what was sent before.
  def pausing(server, request, first)
    socket = server.connect
    RawClient.on(socket) do |client|
      ByteByByte.write(socket, request[0, first]) { false }
      yield
      client.write(request[first..])
      client.answer
    end
  end

  test "workers come and go while the lobby waits for head and body" do
    serve("worker_max_age 1", lobby: true) do |server|
      answer = RawClient.on(server.connect) do |client|
        ["POST / HTTP/1.1\r\nHost: x\r\n", "Content-Length: 10\r\n\r\n12345"].each do |piece|
          worker = server.wait { server.ready_workers.first }.pid
          client.write(piece)
          server.wait { server.rows(:worker).none? { |row| row.pid == worker } }
        end
        client.write("67890")
        client.answer
      end

      assert_equal "10", answer.body.split.last
    end
  end

  test "a worker closes the connection of a reader that stalls, and serves the next client" do
    serve("client_write_timeout 0.5", lobby: false) do |server|
      with_stalled_reader(server) { with_client(server) { nil } }
    end
  end

  test "the lobby closes the connection of a reader that stalls, and no worker waits for that" do
    serve("client_write_timeout 0.5", lobby: true) do |server|
      with_stalled_reader(server) do
        with_client(server) { nil }
        server.wait { Coppice::Stats.new(server.board).to_h.dig(:lobby, :slow_readers) == 1 }
      end
    end
  end

  # A client that reads only after the block, when it is too late.
  def with_stalled_reader(server)
    RawClient.on(server.connect) do |stalled|
      stalled.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      yield

      assert_operator stalled.answer.body.bytesize, :<, LARGE_BYTES
    end
  end

  test "the application's timeout does not run while the worker waits for the client" do
    serve("worker_processes 3\n#{LIMITS}") do |server|
      pids = server.ready_workers.map(&:pid)
      head = "GET / HTTP/1.1\r\nHost: x\r\nX-Padding: #{'a' * 20}\r\n\r\n"
      clients = [-> { send_slowly(server, "", head) }, -> { send_slowly(server, BODY_HEAD, "1234567890") },
                 -> { read_late(server) }]
      answers = clients.map { |client| Thread.new(&client) }.map(&:value)

      assert_equal [200, 200, 200], answers.map(&:status)
      assert_equal LARGE_BYTES, answers.last.body.bytesize
      assert_equal pids.sort, server.ready_workers.map(&:pid).sort
    end
  end

  test "many clients that trickle neither keep others out nor cost a worker" do
    serve("worker_processes 8\nclient_header_timeout 0.1") do |server|
      pids = server.ready_workers.map(&:pid)
      SlowClients.around(server, clients: 40, limit: 0.1) do |crowd|
        sizes = [40, 120].map do |refused|
          eventually(120) { crowd.refused >= refused }
          server.wait { pids.include?(body_of_next(server).to_i) }
          pids.sum { |pid| ProcessMemory.unnamed_kib(pid) }
        end

        assert_operator sizes.last, :<, sizes.first + (8 * 1024), "the workers grow"
        assert_empty crowd.surprises
      end
      assert_equal pids.sort, server.ready_workers.map(&:pid).sort
    end
  end

  def send_slowly(server, at_once, slowly)
    RawClient.on(server.connect) do |client|
      client.write(at_once)
      client.write_over(slowly, LONG)
      client.answer
    end
  end

  def read_late(server)
    RawClient.on(server.connect) do |client|
      client.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      enough = monotonic_now + LONG
      eventually { monotonic_now > enough }
      client.answer
    end
  end
end
