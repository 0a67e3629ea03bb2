# frozen_string_literal: true

require_relative "../../support/family_test_case"
require "coppice/listeners/address"

# The observer among the monitor's children: it is there when it is wanted, and nobody waits for it.
class ObservationTest < FamilyTestCase
  ADDRESSES = [Coppice::Listeners::Address.parse("127.0.0.1:9293")].freeze

  def observed_family(**settings) = settled_family(admin_listen: ADDRESSES, **settings)

  def observers(family) = family.system.processes.values.select { |process| process.role == :observer }

  def lose_observer(family)
    family.system.die(observers(family).first, FakeSystem::Status.new(nil, 9))
    family.turn
  end

  test "there is none unless the configuration asks for it" do
    assert_nil settled_family.roster.observer
  end

  test "there is one before there is a mold" do
    family = family_of(admin_listen: ADDRESSES)
    family.turn

    assert_equal [:observer, :lobby, :mold], family.roster.handles.map(&:role)
  end

  test "the hook on_stats asks for one as well" do
    family = family_of(hooks: { on_stats: ->(_stats) {} })
    family.settle

    assert_predicate family.roster.observer, :ready?
  end

  test "its row is written for it" do
    row = observed_family.roster.observer.row

    assert_equal [:observer, true], [row.role_name, row.ready?]
    assert_operator row.pid, :positive?
  end

  test "a lost one is replaced, and no worker for it" do
    family = observed_family
    workers = family.roster.workers.map(&:pid)
    lost = family.roster.observer.pid
    lose_observer(family)
    family.system.advance(1)
    family.settle

    refute_equal lost, family.roster.observer.pid
    assert_equal workers, family.roster.workers.map(&:pid)
  end

  test "the pause grows while it dies again and again" do
    family = observed_family
    pauses = Array.new(4) do
      lose_observer(family)
      pause = family.roster.observers.not_before - family.system.now
      family.system.advance(pause)
      family.settle
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4, 0.8], pauses
  end

  test "a system that has no process for it delays nothing else" do
    family = observed_family
    lose_observer(family)
    family.system.advance(1)
    family.system.refusals = 1
    family.turn

    assert_nil family.roster.observer
    assert family.roster.spawns.over?(family.system.now)
    assert family.roster.reforks.over?(family.system.now)
  end

  test "at a stop it exits when all others are gone" do
    family = observed_family(**WITHOUT_LOBBY)
    family.supervision.stop(:gracefully)
    family.turn

    refute_predicate family.roster.observer, :leaving?
    assert(family.roster.workers.all?(&:leaving?))
    family.settle
    assert_predicate family.supervision, :finished?
  end

  test "at a stop one that hangs is killed after a second" do
    family = observed_family
    observers(family).first.hanging = true
    family.supervision.stop(:gracefully)
    family.settle
    family.system.advance(Coppice::Monitor::Watchdog::GRACE)
    family.settle

    assert_predicate family.supervision, :finished?
  end
end
