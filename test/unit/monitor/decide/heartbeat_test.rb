# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require "coppice/listeners/address"

class HeartbeatTest < SupervisionTestCase
  LIMIT = 5 + 15 + 22 # the beat, client_header_timeout, timeout and its cleanup

  # So long, with the monitor awake; processes that do not hang give a sign of life meanwhile.
  def pass(server, seconds)
    seconds.times do
      server.system.advance(1.0)
      server.turn
    end
  end

  def hang(server)
    server.roster.ready_workers.first.tap { |worker| server.process_of(worker).hanging = true }
  end

  test "a worker that gives no sign of life is ended, and no other" do
    server = settled_server
    silent = hang(server)
    pass(server, LIMIT - 3)

    assert_nil silent.kill_reason
    pass(server, 6)

    assert_equal :unresponsive, silent.kill_reason
    server.settle

    assert_equal 4, server.roster.ready_workers.size
    refute_includes server.roster.ready_workers, silent
  end

  test "a loop that gives no sign of life is ended alone, and its successor counts anew" do
    server = settled_server(listen: [Coppice::Listeners::Address.parse(8080, lobby: true)])
    lobby = server.roster.lobby
    server.system.lobby.loop.hanging = true
    silent = lobby.pid
    pass(server, 9)

    assert_equal silent, lobby.pid
    pass(server, 4)

    assert_equal [[silent, :KILL]], server.system.signals
    server.settle
    pass(server, 60)

    assert_predicate lobby, :ready?
    assert_equal [[silent, :KILL]], server.system.signals
  end

  test "a request has a deadline of its own" do
    server = settled_server
    busy = hang(server)
    busy.row.deadline_ms = ((server.system.now + 1000) * 1000).to_i
    pass(server, LIMIT + 10)

    assert_nil busy.kill_reason
    busy.row.deadline_ms = 0
    pass(server, 10)

    assert_nil busy.kill_reason
  end

  test "time in which the monitor stood still as well does not count" do
    server = settled_server
    silent = hang(server)
    pass(server, 10)
    server.system.advance(100_000)
    server.turn
    pass(server, LIMIT - 15)

    assert_nil silent.kill_reason
    pass(server, 10)

    assert_equal :unresponsive, silent.kill_reason
  end
end
