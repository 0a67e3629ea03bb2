# frozen_string_literal: true

require "test_helper"
require_relative "../support/loopback_ports"
require_relative "../support/server"

# A server starts where another has just ended, in whatever way.
class TakeoverTest < Coppice::TestCase
  APP = <<~RUBY
    run(lambda do |env|
      IO.popen(["cat", "gate"], &:read) if env["PATH_INFO"] == "/busy" # until the test opens the gate
      [200, { "content-type" => "text/plain" }, ["done"]]
    end)
  RUBY

  # Yields a server whose monitor was killed while its one worker is busy, and that worker's client.
  def with_orphan(address, lobby)
    Server.open(app: APP, config: "listen '#{address}', lobby: #{lobby}\ntimeout 60") do |server|
      File.mkfifo(server.path("gate"))
      client = connect(address)
      client.write("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
      worker = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }.pid
      server.signal(:KILL)
      server.wait_for_end
      yield server, client, worker
    ensure
      client&.close
    end
  end

  def free_address = "127.0.0.1:#{LoopbackPorts.free(1).first}"

  def connect(address)
    address.start_with?("/") ? UNIXSocket.new(address) : TCPSocket.new(*address.split(":"))
  end

  def assert_taken_over(address)
    with_orphan(address, false) do |first, client, worker|
      Server.open(app: APP, config: "listen '#{address}', lobby: false\ntimeout 60", ready: false) do |second|
        second.wait { second.log.include?("pid #{worker} ") } # what a user would see
        File.write(first.path("gate"), "")
        second.wait_until_ready

        assert_match(/done\z/, BoundedWait.read(client))
        assert_match(/done\z/, get(address))
        assert_equal 0, second.stop.exitstatus
      end
    end
  end

  def get(address)
    socket = connect(address)
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    BoundedWait.read(socket)
  ensure
    socket&.close
  end

  test "after the monitor was killed, the next one waits for workers that are busy, and names them" do
    assert_taken_over(free_address)
  end

  soak_test "the same at a Unix socket" do
    Dir.mktmpdir("coppice-takeover-") { |folder| assert_taken_over("#{folder}/socket") }
  end

  test "after the monitor was killed, the next one waits for nobody whose clients the lobby has met" do
    address = free_address
    with_orphan(address, true) do |first, client, _worker|
      Server.open(app: APP, config: "listen '#{address}', lobby: true\ntimeout 60") do |second|
        assert_match(/done\z/, get(address))
        File.write(first.path("gate"), "")

        assert_match(/done\z/, BoundedWait.read(client))
        assert_equal 0, second.stop.exitstatus
      end
    end
  end

  test "a server that runs is not waited for" do
    Dir.mktmpdir("coppice-takeover-") do |folder|
      Server.open(app: APP, config: "listen '#{folder}/socket'") do |_first|
        Server.open(app: APP, config: "listen '#{folder}/socket', tries: 1", ready: false) do |second|
          assert_equal 1, second.wait_for_end.exitstatus
        end
      end
    end
  end
end
