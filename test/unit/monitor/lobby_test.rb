# frozen_string_literal: true

require_relative "../../support/family_test_case"
require "coppice/listeners/address"

# The lobby among the monitor's children: it is there before the workers, each worker has a seat there, and what is lost
# is made again.
class LobbyTest < FamilyTestCase
  LISTEN = [Coppice::Listeners::Address.parse(8080)].freeze
  CRASH = FakeSystem::Status.new(nil, 11).freeze

  def family_with_lobby(**settings) = family_of(listen: LISTEN, **settings)

  def settled(**settings) = settled_family(listen: LISTEN, **settings)

  def seats(family) = family.roster.workers.map { |worker| worker.seat&.number }

  def lose(family, *parts)
    parts.each { |part| family.system.die(family.system.lobby.public_send(part), CRASH) }
  end

  # What the lobby has not read yet.
  def told(family) = family.system.lobby.loop.channel.queue.map { |packet| packet.message.words }

  def worker_process(family, number = 0) = family.process_of(family.roster.workers[number])

  test "there is none where no listener wants it" do
    family = settled_family(**WITHOUT_LOBBY)

    assert_nil family.roster.lobby
    assert_equal [nil], seats(family).uniq
  end

  test "no worker is forked before it is ready" do
    family = family_with_lobby
    family.turn
    family.system.lobby.keeper.hanging = true
    family.settle

    assert_predicate family.roster.mold, :ready?
    assert_empty family.roster.workers
    family.system.lobby.keeper.hanging = false
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end

  test "each worker has a seat, of which the lobby knows" do
    family = settled

    assert_equal [0, 1, 2, 3], seats(family)
    assert_equal [0, 1, 2, 3], family.system.lobby.seats.keys.sort
    assert family.system.lobby.accepting
  end

  test "the lobby finds the worker's row on the board" do
    family = settled
    worker = family.roster.workers[2]
    fields = family.system.lobby.seats.fetch(2).to_h
    worker.row.deadline_ms = 77

    assert_equal worker.nr.to_s, fields["slot"]
    assert_equal 77, family.board.cells[Integer(fields["deadline"]) / 8]
  end

  test "a worker that is rehearsed has no seat" do
    family = family_with_lobby(warm_up_requests: ["/"])
    run_until(family) { family.roster.rehearsal }

    assert_nil family.roster.rehearsal.seat
  end

  test "a worker that is reaped leaves its seat, and its successor gets another" do
    family = settled
    family.system.die(worker_process(family), CRASH)
    family.turn

    assert_equal [%w[gone 0 retry], %w[seat 4]], told(family)
    family.settle
    assert_equal [1, 2, 3, 4], seats(family)
  end

  test "there are as many seats as the lobby has" do
    count = Coppice::Monitor::SeatNumbers::SEATS
    File.open(File::NULL) do |empty|
      refused, *, last = [count, count - 1].map do |number|
        assert_raises(ArgumentError, SystemCallError) { Coppice::LobbySeat.new(number, *[empty.fileno] * 6) }.message
      end

      assert_equal "there is no seat #{count}", refused
      refute_includes last, "no seat"
    end
  end

  test "the request of a worker that was killed for its time goes to nobody else" do
    family = settled
    worker_process(family).row.started_ms = 1
    worker_process(family).row.deadline_ms = 2
    family.turn
    family.turn

    assert_includes told(family), %w[gone 0 lost timeout]
  end

  test "a successor of the loop is told everything that holds" do
    family = settled
    family.supervision.resize(-1)
    family.settle
    lose(family, :loop)
    family.system.lobby.swallow
    family.turn

    refute_predicate family.roster.lobby, :ready?
    family.settle
    assert_predicate family.roster.lobby, :ready?
    assert_equal [%w[accept], %w[gone 3 retry], %w[log-level 1], %w[seat 0], %w[seat 1], %w[seat 2]],
      family.system.lobby.heard.sort
  end

  test "a successor may register before the one that it replaces is reaped" do
    family = settled
    lobby = family.system.lobby
    former = lobby.loop.pid
    lose(family, :loop)
    2.times { family.system.step(lobby.keeper) }
    2.times { family.system.step(lobby.loop) }
    family.turn

    assert_equal [lobby.keeper.pid, lobby.loop.pid], family.roster.lobby.pids
    refute_equal former, family.roster.lobby.pid
    assert_predicate family.roster.lobby, :ready?
  end

  test "the loss of one of its processes costs no worker its seat" do
    family = settled
    workers = family.roster.workers
    [:loop, :keeper].each do |part|
      lose(family, part)
      family.settle
    end

    assert_equal workers, family.roster.workers
    assert_equal [0, 1, 2, 3], seats(family)
    assert_equal 2, family.roster.lobby.pids.size
    assert_equal 2, family.board.exits_count
  end

  test "when both are lost the workers get seats at the next one" do
    family = settled
    former = family.system.lobby
    lose(family, :keeper, :loop)
    family.turn

    assert_nil family.roster.lobby
    assert_equal [nil], seats(family).uniq
    family.system.advance(1)
    family.settle

    refute_same former, family.system.lobby
    assert_equal [0, 1, 2, 3], family.system.lobby.seats.keys.sort
    assert_equal [0, 1, 2, 3], seats(family)
  end

  test "the gauges of a lost lobby count no more" do
    family = settled
    family.board.lobby.connections = 3
    family.board.lobby.accepted = 5
    lose(family, :keeper, :loop)
    family.turn

    assert_equal [0, 5], [family.board.lobby.connections, family.board.lobby.accepted]
  end

  test "a lost loop that nobody replaces costs the keeper its life" do
    family = settled
    keeper = family.system.lobby.keeper
    keeper.hanging = true
    lose(family, :loop)
    family.turn
    family.system.advance(family.settings.spawn_timeout)
    family.turn

    assert_includes family.system.signals, [keeper.pid, :KILL]
    2.times do
      family.settle
      family.system.advance(1)
    end
    family.settle
    assert_predicate family.roster.lobby, :ready?
  end

  test "at a stop its clients are served before any worker exits" do
    family = settled
    family.system.lobby.loop.hanging = true # it has a slow client
    family.supervision.stop(:gracefully)
    family.settle

    assert_equal [%w[closing], %w[drain]], told(family)
    assert(family.roster.workers.none?(&:leaving?))
    family.system.lobby.loop.hanging = false
    family.settle
    assert_predicate family.supervision, :finished?
  end

  test "workers exit in time though the lobby does not" do
    family = settled
    family.system.lobby.loop.hanging = true
    family.supervision.stop(:gracefully)
    family.system.advance(family.settings.hard_timeout)
    family.settle

    assert_empty family.roster.workers
    refute_predicate family.supervision, :finished?
    family.system.advance(family.settings.timeout)
    family.settle
    assert_predicate family.supervision, :finished?
  end

  test "before a delayed stop answers say that connections close" do
    family = settled
    family.supervision.stop(:gracefully, delay: 5)
    family.turn

    assert_equal [%w[closing]], told(family)
  end

  test "a stop at once reaches both processes" do
    family = settled
    family.system.lobby.loop.hanging = true
    family.supervision.stop(:at_once)
    family.turn

    assert_includes told(family), %w[stop]
    family.system.advance(1)
    family.settle
    assert_predicate family.supervision, :finished?
  end

  test "the pause grows while lobbies are lost again and again" do
    family = settled
    pauses = Array.new(3) do
      lose(family, :keeper, :loop)
      family.turn
      pause = family.roster.lobbies.not_before - family.system.now
      family.system.advance(pause)
      family.settle
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4], pauses
  end

  test "it follows the level of the log" do
    family = settled
    family.supervision.log_level = :error
    family.turn

    assert_equal [%w[log-level 3]], told(family)
  end

  test "nonsense on its channel ends it" do
    family = settled
    lobby = family.roster.lobby
    family.system.lobby.loop.channel.send(Coppice::Control::LobbyPacket.of("dance"))
    2.times do
      family.settle
      family.system.advance(1)
    end
    family.settle

    assert_predicate lobby, :gone?
    assert_predicate family.roster.lobby, :ready?
  end
end
