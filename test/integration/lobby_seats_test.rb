# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require_relative "../support/gate"
require_relative "../support/server_over_tcp"

# Workers of a real server that take the place of others at the lobby.
class LobbySeatsTest < Coppice::TestCase
  # A GET waits at a gate, a POST does not.
  APP = <<~RUBY.freeze
    run(lambda do |env|
      env["REQUEST_METHOD"] == "GET" ? #{Gate.code('gate')} : File.write("posted", "")
      [200, { "content-type" => "text/plain" }, []]
    end)
  RUBY

  def request(client, method) = client.write("#{method} / HTTP/1.1\r\nHost: test\r\n\r\n")

  # Should it take ten seconds, the monitor kills the loop, and the next one hears of everything.
  def while_stopped(server, pid)
    server.signal(:STOP, to: pid)
    server.wait { Coppice::OS::ProcessStat.of(pid).stopped? }
    yield
  ensure
    begin
      server.signal(:CONT, to: pid)
    rescue Errno::ESRCH
      nil
    end
  end

  # Of a worker that may open no descriptor more.
  FULL = <<~'RUBY'
    run(lambda do |env|
      Process.setrlimit(:NOFILE, 3, Process.getrlimit(:NOFILE).last) if env["PATH_INFO"] == "/full"
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  test "a worker without room for the descriptors of its next seat is replaced, and says why" do
    ServerOverTcp.open(app: FULL, config: "worker_processes 1", listen: { lobby: true }) do |server|
      full = server.get("/full").body.to_i
      loop_pid, keeper = server.parts_of_lobby.values_at(Server::LOOP, Server::KEEPER)
      while_stopped(server, loop_pid) do # it makes no other keeper
        [keeper, loop_pid].each { |part| server.signal(:KILL, to: part) }
        server.wait { server.ready_workers.any? { |row| row.pid != full } }
      end

      refute_equal full, server.get.body.to_i
      assert_match(/worker\[0\] \(gen 0\) failed" error=Errno::EMFILE/, server.log)
    end
  end

  # The loop stands still, so that it hears of the death when the successor has taken the next request already.
  test "what a killed worker's successor has taken is not taken for lost" do
    ServerOverTcp.open(app: APP, config: "worker_processes 1", listen: { lobby: true }) do |server|
      clients = Array.new(2) { server.connect }
      Gate.new(server.path("gate")).closed do
        request(clients[0], "GET")
        worker = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }
        request(clients[1], "POST")
        server.wait { server.board.lobby.requests == 2 }
        while_stopped(server, server.parts_of_lobby.fetch(Server::LOOP)) do
          server.signal(:KILL, to: worker.pid)
          server.wait { File.exist?(server.path("posted")) }
        end
      end

      assert_equal(%w[200 200], clients.map { |client| BoundedWait.readable(client).gets("\r\n\r\n")[/\d{3}/] })
    ensure
      clients&.each(&:close)
    end
  end
end
