# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require "coppice/listeners/address"

# A worker whose answers make no sense, or cannot be read, as the lobby reports it by the number of its seat.
class SpoiltSeatTest < SupervisionTestCase
  def settled(**settings) = settled_server(listen: [Coppice::Listeners::Address.parse(8080)], **settings)

  def report(server, seat, fault = "spoilt")
    server.system.lobby.loop.channel.send(Coppice::Control::LobbyPacket.of(fault, seat))
  end

  def seats(server) = server.roster.workers.map { |worker| worker.seat&.number }

  # What the lobby has not read yet.
  def told(server) = server.system.lobby.loop.channel.queue.map { |packet| packet.message.words }

  def kill(server, worker)
    server.system.die(server.process_of(worker), FakeSystem::Status.new(nil, 11))
    server.settle
  end

  test "its worker is killed at once, and the successor gets another seat" do
    server = settled
    worker = server.roster.workers[1]
    server.process_of(worker).hanging = true
    report(server, 1)
    server.turn

    assert_equal [[[worker.pid, :KILL]], :spoilt_ring], [server.system.signals, worker.kill_reason]
    server.settle
    assert_equal [0, 2, 3, 4], seats(server).sort
  end

  test "its exit is counted by its cause, and its requests go to nobody else" do
    server = settled
    report(server, 1)
    2.times { server.turn }
    worker = Coppice::Roles.number(:worker) - 1
    counts = server.board.exits.each_slice(Coppice::Board::EXIT_CAUSES_ROOM).to_a.fetch(worker)

    assert_equal 1, counts.fetch(Coppice::Board::EXIT_CAUSES.index("spoilt_ring"))
    assert_includes told(server), %w[gone 1 lost spoilt_ring]
  end

  test "the user has no say in the signal" do
    server = settled(timeout_signal: :ABRT)
    report(server, 1)
    server.turn

    assert_equal [:KILL], server.system.signals.map(&:last)
  end

  test "it is killed once however often the lobby reports it" do
    server = settled
    2.times { report(server, 1) }
    server.settle
    report(server, 1)
    server.settle

    assert_equal [:KILL], server.system.signals.map(&:last)
    assert_equal [0, 2, 3, 4], seats(server).sort
  end

  test "one whose seat is lost is killed at once, and its requests may go to others" do
    server = settled
    worker = server.roster.workers[1]
    report(server, 1, "lost")
    2.times { server.turn }

    assert_equal [[[worker.pid, :KILL]], :lost_seat], [server.system.signals, worker.kill_reason]
    assert_includes told(server), %w[gone 1 retry]
  end

  test "a lost seat makes the next worker wait, and is no failed start" do
    server = settled
    server.operations.resize(1)
    run_until(server) { server.roster.workers.last.then { |worker| worker.pid && worker.starting? } }
    report(server, 4, "lost")
    server.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    server.settle

    assert_equal [[0, 1, 2, 3], 0], [seats(server), server.roster.spawns.failures]
    server.system.advance(Coppice::Monitor::LobbyFacts::SEAT_PAUSE)
    server.settle
    assert_equal [0, 1, 2, 3, 5], seats(server)
  end

  test "a trial that loses its seat counts as killed, and not as failed" do
    server = settled
    server.operations.refork
    run_until(server) { server.roster.trial&.pid }
    report(server, server.roster.trial.seat.number, "lost")
    server.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    2.times { server.turn }

    assert_equal [nil, 1], [server.roster.trial, server.roster.succession.killed_trials]
  end

  test "a worker that is told to exit already is killed as well" do
    server = settled
    worker = server.roster.workers[3]
    server.process_of(worker).hanging = true
    server.operations.resize(-1)
    server.turn
    report(server, worker.seat.number)
    server.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    server.turn

    assert_equal :spoilt_ring, worker.kill_reason
  end

  test "a seat that its worker has left costs nobody's life" do
    server = settled
    kill(server, server.roster.workers.first)
    report(server, 0)
    server.settle

    assert_predicate server.roster.lobby, :ready?
    assert_equal [[], [1, 2, 3, 4]], [server.system.signals, seats(server).sort]
  end

  test "nobody is killed before the monitor knows its pid" do
    server = settled
    mold = server.process_of(server.roster.mold)
    mold.hanging = true
    server.system.die(server.process_of(server.roster.workers.first), FakeSystem::Status.new(nil, 11))
    run_until(server) { server.roster.workers.any?(&:requested?) }
    report(server, 4)
    server.turn

    assert_empty server.system.signals
    mold.hanging = false
    server.settle
    server.system.advance(1) # past the pause after a child that did not get ready
    server.settle
    assert_equal [1, 2, 3, 5], seats(server).sort
  end
end
