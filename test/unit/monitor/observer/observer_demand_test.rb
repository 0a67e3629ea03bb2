# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"
require "coppice/listeners/address"

# The observer among the monitor's children: it is there when it is wanted, and nobody waits for it.
class ObservationTest < SupervisionTestCase
  include FakeServerRolls

  HOOK = { on_stats: ->(_stats) {} }.freeze
  ADDRESSES = [Coppice::Listeners::Address.parse("127.0.0.1:9293")].freeze

  def observed_server(**settings) = settled_server(admin_listen: ADDRESSES, **settings)

  def observers(server) = server.system.processes.values.select { |process| process.role == :observer }

  def lose_observer(server)
    server.system.die(observers(server).first, FakeSystem::Status.new(nil, 9))
    server.turn
  end

  test "there is none unless the configuration asks for it" do
    assert_nil settled_server.roster.observer
  end

  test "there is one before there is a mold" do
    server = server_of(admin_listen: ADDRESSES)
    server.turn

    assert_equal [:observer, :lobby, :mold], server.roster.handles.map(&:role)
  end

  test "the hook on_stats asks for one as well" do
    server = server_of(hooks: { on_stats: ->(_stats) {} })
    server.settle

    assert_predicate server.roster.observer, :ready?
  end

  test "its row is written for it" do
    row = observed_server.roster.observer.row

    assert_equal [:observer, true], [row.role_name, row.ready?]
    assert_operator row.pid, :positive?
  end

  test "a lost one is replaced, and no worker for it" do
    server = observed_server
    workers = server.roster.workers.map(&:pid)
    lost = server.roster.observer.pid
    lose_observer(server)
    server.system.advance(1)
    server.settle

    refute_equal lost, server.roster.observer.pid
    assert_equal workers, server.roster.workers.map(&:pid)
  end

  test "the pause grows while it dies again and again" do
    server = observed_server
    pauses = Array.new(4) do
      lose_observer(server)
      pause = server.roster.observers.not_before - server.system.now
      server.system.advance(pause)
      server.settle
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4, 0.8], pauses
  end

  test "a system that has no process for it delays nothing else" do
    server = observed_server
    lose_observer(server)
    server.system.advance(1)
    server.system.refusals = 1
    server.turn

    assert_nil server.roster.observer
    assert server.roster.spawns.over?(server.system.now)
    assert server.roster.reforks.over?(server.system.now)
  end

  # The release of the observer before a roll to a release with these settings and after it, and whether another process
  # is the observer then.
  def roll_observed(server)
    before = [server.roster.observer&.pid, server.roster.observer_release&.number]
    roll(server, "/releases/2")
    server.settle
    server.system.advance(1)
    server.settle
    after = [server.roster.observer&.pid, server.roster.observer_release&.number]
    [before.last, after.last, after.first != before.first]
  end

  test "a release that brings the hook gets an observer for it" do
    server = settled_server(releases: { "/releases/2" => { hooks: HOOK } })

    assert_equal [nil, 2, true], roll_observed(server)
    assert_predicate server.roster.observer, :ready?
  end

  { "brings" => [{}, HOOK], "has" => [HOOK, HOOK], "drops" => [HOOK, {}] }.each do |verb, (first, second)|
    test "another observer follows on one that admin_listen asks for when a release #{verb} the hook" do
      server = observed_server(hooks: first, releases: { "/releases/2" => { hooks: second } })

      assert_equal [1, 2, true], roll_observed(server)
    end
  end

  test "without the hook the observer is the same after a roll" do
    assert_equal [1, 1, false], roll_observed(observed_server)
  end

  test "there is none any more once a release without the hook is committed" do
    server = settled_server(hooks: HOOK, releases: { "/releases/2" => { hooks: {} } })
    roll_observed(server)

    assert_nil server.roster.observer
  end

  test "a rollback brings an observer for the hook of the release before" do
    server = settled_server(hooks: HOOK)
    roll_observed(server)
    roll_back(server)
    server.settle
    server.system.advance(1)
    server.settle

    assert_equal 1, server.roster.observer_release.number
  end

  test "at a stop it exits when all others are gone" do
    server = observed_server(**WITHOUT_LOBBY)
    server.operations.stop(:gracefully)
    server.turn

    refute_predicate server.roster.observer, :leaving?
    assert(server.roster.workers.all?(&:leaving?))
    server.settle
    assert_predicate server.supervision, :finished?
  end

  test "at a stop one that hangs is killed after a second" do
    server = observed_server
    observers(server).first.hanging = true
    server.operations.stop(:gracefully)
    server.settle
    server.system.advance(Coppice::Monitor::Watchdog::GRACE)
    server.settle

    assert_predicate server.supervision, :finished?
  end
end
