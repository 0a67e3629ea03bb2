# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require "coppice/listeners/address"

# The lobby among the monitor's children: it is there before the workers, each worker has a seat there, and what is lost
# is made again.
class LobbyTest < SupervisionTestCase
  LISTEN = [Coppice::Listeners::Address.parse(8080)].freeze
  CRASH = FakeSystem::Status.new(nil, 11).freeze

  def server_with_lobby(**settings) = server_of(listen: LISTEN, **settings)

  def settled(**settings) = settled_server(listen: LISTEN, **settings)

  def seats(server) = server.roster.workers.map { |worker| worker.seat&.number }

  def lose(server, *parts)
    parts.each { |part| server.system.die(server.system.lobby.public_send(part), CRASH) }
  end

  # What the lobby has not read yet.
  def told(server) = server.system.lobby.loop.channel.queue.map { |packet| packet.message.words }

  def worker_process(server, number = 0) = server.process_of(server.roster.workers[number])

  test "there is none where no listener wants it" do
    server = settled_server(**WITHOUT_LOBBY)

    assert_nil server.roster.lobby
    assert_equal [nil], seats(server).uniq
  end

  test "no worker is forked before it is ready" do
    server = server_with_lobby
    server.turn
    server.system.lobby.keeper.hanging = true
    server.settle

    assert_predicate server.roster.mold, :ready?
    assert_empty server.roster.workers
    server.system.lobby.keeper.hanging = false
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  test "each worker has a seat, of which the lobby knows" do
    server = settled

    assert_equal [0, 1, 2, 3], seats(server)
    assert_equal [0, 1, 2, 3], server.system.lobby.seats.keys.sort
    assert server.system.lobby.accepting
  end

  test "the lobby finds the worker's row on the board" do
    server = settled
    worker = server.roster.workers[2]
    fields = server.system.lobby.seats.fetch(2).to_h
    worker.row.deadline_ms = 77

    assert_equal worker.nr.to_s, fields["slot"]
    assert_equal 77, server.board.cells[Integer(fields["deadline"]) / 8]
  end

  test "a worker that is rehearsed has no seat" do
    server = server_with_lobby(warm_up_requests: ["/"])
    run_until(server) { server.roster.rehearsal }

    assert_nil server.roster.rehearsal.seat
  end

  test "a worker that is reaped leaves its seat, and its successor gets another" do
    server = settled
    server.system.die(worker_process(server), CRASH)
    server.turn

    assert_equal [%w[gone 0 retry], %w[seat 4]], told(server)
    server.settle
    assert_equal [1, 2, 3, 4], seats(server)
  end

  test "whether another worker may get the request depends on the cause of the exit, as the board names it" do
    causes = Coppice::Monitor::LobbyFacts::HARMLESS + Coppice::Monitor::LobbyFacts::OVERDUE
    assert_empty causes.map(&:to_s) - Coppice::Board::EXIT_CAUSES
    server = settled
    server.system.die(worker_process(server), FakeSystem::Status.new(0, nil))
    server.turn

    assert_includes told(server), %w[gone 0 retry]
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
    server = settled
    worker_process(server).row.started_ms = 1
    worker_process(server).row.deadline_ms = 2
    server.turn
    server.turn

    assert_includes told(server), %w[gone 0 lost timeout]
  end

  test "a successor of the loop is told everything that holds" do
    server = settled
    server.operations.resize(-1)
    server.settle
    lose(server, :loop)
    server.system.lobby.swallow
    server.turn

    refute_predicate server.roster.lobby, :ready?
    server.settle
    assert_predicate server.roster.lobby, :ready?
    assert_equal [%w[accept], %w[gone 3 retry], %w[log-level 1], %w[seat 0], %w[seat 1], %w[seat 2]],
      server.system.lobby.heard.sort
  end

  test "a successor may register before the one that it replaces is reaped" do
    server = settled
    lobby = server.system.lobby
    former = lobby.loop.pid
    lose(server, :loop)
    2.times { server.system.step(lobby.keeper) }
    2.times { server.system.step(lobby.loop) }
    server.turn

    assert_equal [lobby.keeper.pid, lobby.loop.pid], server.roster.lobby.pids
    refute_equal former, server.roster.lobby.pid
    assert_predicate server.roster.lobby, :ready?
  end

  test "the loss of one of its processes costs no worker its seat" do
    server = settled
    workers = server.roster.workers
    [:loop, :keeper].each do |part|
      lose(server, part)
      server.settle
    end

    assert_equal workers, server.roster.workers
    assert_equal [0, 1, 2, 3], seats(server)
    assert_equal 2, server.roster.lobby.pids.size
    assert_equal 2, server.board.exits_count
  end

  test "a worker that could not be told of its new seat gets another one" do
    server = settled
    server.roster.workers[1].channel.unsendable = Coppice::Control::Messages::TakeSeat
    lose(server, :keeper, :loop)
    server.system.processes.each_value { |process| process.seat = nil } # the next lobby has seats of the same numbers
    server.settle
    server.system.advance(10)
    server.settle

    assert_equal seats(server).sort, server.system.lobby.seats.keys.sort
    assert_equal seats(server), server.roster.workers.map { |worker| server.process_of(worker).seat }
  end

  test "when both are lost the workers get seats at the next one" do
    server = settled
    former = server.system.lobby
    lose(server, :keeper, :loop)
    server.turn

    assert_nil server.roster.lobby
    assert_equal [nil], seats(server).uniq
    server.system.advance(1)
    server.settle

    refute_same former, server.system.lobby
    assert_equal [0, 1, 2, 3], server.system.lobby.seats.keys.sort
    assert_equal [0, 1, 2, 3], seats(server)
  end

  test "the gauges of a lost lobby count no more" do
    server = settled
    server.board.lobby.connections = 3
    server.board.lobby.accepted = 5
    lose(server, :keeper, :loop)
    server.turn

    assert_equal [0, 5], [server.board.lobby.connections, server.board.lobby.accepted]
  end

  test "a lost loop that nobody replaces costs the keeper its life" do
    server = settled
    keeper = server.system.lobby.keeper
    keeper.hanging = true
    lose(server, :loop)
    server.turn
    server.system.advance(server.settings.spawn_timeout)
    server.turn

    assert_includes server.system.signals, [keeper.pid, :KILL]
    2.times do
      server.settle
      server.system.advance(1)
    end
    server.settle
    assert_predicate server.roster.lobby, :ready?
  end

  test "at a stop its clients are served before any worker exits" do
    server = settled
    server.system.lobby.loop.hanging = true # it has a slow client
    server.operations.stop(:gracefully)
    server.settle

    assert_equal [%w[closing], %w[drain]], told(server)
    assert(server.roster.workers.none?(&:leaving?))
    server.system.lobby.loop.hanging = false
    server.settle
    assert_predicate server.supervision, :finished?
  end

  test "workers exit in time though the lobby does not" do
    server = settled
    server.system.lobby.loop.hanging = true
    server.operations.stop(:gracefully)
    server.system.advance(server.settings.hard_timeout)
    server.settle

    assert_empty server.roster.workers
    refute_predicate server.supervision, :finished?
    server.system.advance(server.settings.timeout)
    server.settle
    assert_predicate server.supervision, :finished?
  end

  test "before a delayed stop answers say that connections close" do
    server = settled
    server.operations.stop(:gracefully, delay: 5)
    server.turn

    assert_equal [%w[closing]], told(server)
  end

  test "a stop at once reaches both processes" do
    server = settled
    server.system.lobby.loop.hanging = true
    server.operations.stop(:at_once)
    server.turn

    assert_includes told(server), %w[stop]
    server.system.advance(1)
    server.settle
    assert_predicate server.supervision, :finished?
  end

  test "the pause grows while lobbies are lost again and again" do
    server = settled
    pauses = Array.new(3) do
      lose(server, :keeper, :loop)
      server.turn
      pause = server.roster.lobbies.not_before - server.system.now
      server.system.advance(pause)
      server.settle
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4], pauses
  end

  test "it follows the level of the log" do
    server = settled
    server.operations.log_level = :error
    server.turn

    assert_equal [%w[log-level 3]], told(server)
  end

  test "nonsense on its channel ends it" do
    server = settled
    lobby = server.roster.lobby
    server.system.lobby.loop.channel.send(Coppice::Control::LobbyPacket.of("dance"))
    2.times do
      server.settle
      server.system.advance(1)
    end
    server.settle

    assert_predicate lobby, :gone?
    assert_predicate server.roster.lobby, :ready?
  end
end
