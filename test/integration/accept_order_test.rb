# frozen_string_literal: true

require "test_helper"
require_relative "../support/server_over_tcp"
require_relative "../support/process_state"

class AcceptOrderTest < Coppice::TestCase
  include ProcessState

  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] }'
  CONFIG = "worker_processes 4\naccept_order :fair"

  # Whether the lobby meets the clients.
  def lobby? = false

  def serve(&block) = ServerOverTcp.open(app: APP, config: CONFIG, listen: { lobby: lobby? }, &block)

  # Asks once nobody has anything left to do: who comes next is certain then.
  def ask(server)
    wait_until_idle(server)
    @asked = @asked.to_i + 1
    server.get.body.to_i
  end

  # A worker counts a request once it is answered; nothing sleeps between that and the wait.
  def wait_until_idle(server)
    server.wait do
      rows = server.ready_workers
      rows.sum(&:requests) == @asked.to_i && rows.all? { |row| asleep?(row.pid) }
    end
  end

  test "idle workers get the same share, and a client is served although the worker that was woken for it leaves" do
    serve do |server|
      turns = Array.new(12) { ask(server) }
      wait_until_idle(server)

      assert_equal [3, 3, 3, 3], turns.tally.values
      assert_equal [3, 3, 3, 3], server.ready_workers.map(&:requests)
      server.signal(:STOP) # nobody takes the place of those who leave
      answers = turns.first(3).map { |next_in_turn| ask_and_end(server, next_in_turn) }

      assert_equal [], answers - turns
    ensure
      server.signal(:CONT)
    end
  end

  # The pid of the worker that answers, whether the client or the signal comes first.
  def ask_and_end(server, pid)
    client = server.connect
    server.signal(:TERM, to: pid)
    client.write("GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    BoundedWait.read(client, BoundedWait::SECONDS, "a client waits forever")[/\d+\z/].to_i
  ensure
    client&.close
  end
end

# The same where the lobby gives the requests to the workers.
class LobbyAcceptOrderTest < AcceptOrderTest
  def lobby? = true
end
