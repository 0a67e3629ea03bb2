# frozen_string_literal: true

require_relative "../../support/family_test_case"
require "coppice/listeners/address"

# A worker whose answers make no sense, as the lobby reports it by the number of its seat.
class SpoiltSeatTest < FamilyTestCase
  def settled(**settings) = settled_family(listen: [Coppice::Listeners::Address.parse(8080)], **settings)

  def report(family, seat) = family.system.lobby.loop.channel.send(Coppice::Control::LobbyPacket.of("spoilt", seat))

  def seats(family) = family.roster.workers.map { |worker| worker.seat&.number }

  # What the lobby has not read yet.
  def told(family) = family.system.lobby.loop.channel.queue.map { |packet| packet.message.words }

  def kill(family, worker)
    family.system.die(family.process_of(worker), FakeSystem::Status.new(nil, 11))
    family.settle
  end

  test "its worker is killed at once, and the successor gets another seat" do
    family = settled
    worker = family.roster.workers[1]
    family.process_of(worker).hanging = true
    report(family, 1)
    family.turn

    assert_equal [[[worker.pid, :KILL]], :spoilt_ring], [family.system.signals, worker.kill_reason]
    family.settle
    assert_equal [0, 2, 3, 4], seats(family).sort
  end

  test "its exit is counted by its cause, and its requests go to nobody else" do
    family = settled
    report(family, 1)
    2.times { family.turn }
    worker = Coppice::Roles.number(:worker) - 1
    counts = family.board.exits.each_slice(Coppice::Board::EXIT_CAUSES_ROOM).to_a.fetch(worker)

    assert_equal 1, counts.fetch(Coppice::Board::EXIT_CAUSES.index("spoilt_ring"))
    assert_includes told(family), %w[gone 1 lost spoilt_ring]
  end

  test "the user has no say in the signal" do
    family = settled(timeout_signal: :ABRT)
    report(family, 1)
    family.turn

    assert_equal [:KILL], family.system.signals.map(&:last)
  end

  test "it is killed once however often the lobby reports it" do
    family = settled
    2.times { report(family, 1) }
    family.settle
    report(family, 1)
    family.settle

    assert_equal [:KILL], family.system.signals.map(&:last)
    assert_equal [0, 2, 3, 4], seats(family).sort
  end

  test "a worker that is told to exit already is killed as well" do
    family = settled
    worker = family.roster.workers[3]
    family.process_of(worker).hanging = true
    family.supervision.resize(-1)
    family.turn
    report(family, worker.seat.number)
    family.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    family.turn

    assert_equal :spoilt_ring, worker.kill_reason
  end

  test "a seat that its worker has left costs nobody's life" do
    family = settled
    kill(family, family.roster.workers.first)
    report(family, 0)
    family.settle

    assert_predicate family.roster.lobby, :ready?
    assert_equal [[], [1, 2, 3, 4]], [family.system.signals, seats(family).sort]
  end

  test "nobody is killed before the monitor knows its pid" do
    family = settled
    mold = family.process_of(family.roster.mold)
    mold.hanging = true
    family.system.die(family.process_of(family.roster.workers.first), FakeSystem::Status.new(nil, 11))
    run_until(family) { family.roster.workers.any?(&:requested?) }
    report(family, 4)
    family.turn

    assert_empty family.system.signals
    mold.hanging = false
    family.settle
    family.system.advance(1) # past the pause after a child that did not get ready
    family.settle
    assert_equal [1, 2, 3, 5], seats(family).sort
  end
end
