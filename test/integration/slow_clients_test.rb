# frozen_string_literal: true

require "test_helper"
require_relative "../support/process_memory"
require_relative "../support/raw_client"
require_relative "../support/server"
require_relative "../support/tricklers"

# A slow client costs a worker no more time than the limits allow, and the worker never exits for it.
class SlowClientsTest < Coppice::TestCase
  LARGE_BYTES = 20 * 1024 * 1024

  # Seconds: more than the soft and the hard limit together that a test sets below.
  LONG = 4

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

  def serve(config, &block) = Server.open(app: APP, config: PATIENT + config, &block)

  # Yields a client of the only worker, which must then serve the next one; answers what the block does.
  def with_client(server)
    pid = server.ready_workers.first.pid
    answer = RawClient.on(server.connect) { |client| yield client }

    assert_equal "#{pid} 0", server.get.body
    answer
  end

  test "a head that trickles is answered with 408" do
    serve("client_header_timeout 0.5") do |server|
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
        client.write_over("1234567890", 1)
        client.answer
      end

      assert_equal "10", answer.body.split.last
    end
  end

  test "a worker that is asked to leave has as long as the body takes" do
    serve("worker_max_age 1\ntimeout 1, cleanup: 0.5") do |server|
      reader = server.ready_workers.first.pid
      answer = RawClient.on(server.connect) do |client|
        client.write(BODY_HEAD)
        client.write_over("1234567890", LONG)
        client.answer
      end

      assert_equal "#{reader} 10", answer.body
    end
  end

  test "a worker that is asked to leave has as long as a head takes" do
    serve("worker_max_age 1\ntimeout 1, cleanup: 0.5") do |server|
      reader = server.ready_workers.first.pid
      answer = RawClient.on(server.connect) do |client|
        client.write_over("GET / HTTP/1.1\r\nHost: x\r\n\r\n", LONG)
        client.answer
      end

      assert_equal "#{reader} 0", answer.body
    end
  end

  test "the connection of a reader that stalls is closed" do
    serve("client_write_timeout 0.5") do |server|
      RawClient.on(server.connect) do |stalled|
        stalled.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        with_client(server) { nil }

        assert_operator stalled.answer.body.bytesize, :<, LARGE_BYTES
      end
    end
  end

  test "the application's timeout does not run while the worker waits for the client" do
    serve("worker_processes 3\ntimeout 2, cleanup: 1") do |server|
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
    serve("worker_processes 8\nclient_header_timeout 0.3") do |server|
      pids = server.ready_workers.map(&:pid)
      Tricklers.around(server, clients: 40) do |crowd|
        sizes = [40, 120].map do |refused|
          eventually(120) { crowd.refused >= refused }
          assert_equal 200, server.get.status
          pids.sum { |pid| ProcessMemory.private_kib(pid) }
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
