# frozen_string_literal: true

require "coppice/monitor/service_notifications"
require_relative "../../support/family_test_case"

# What the service manager is told of a server without processes.
class ServiceNotificationsTest < FamilyTestCase
  # In the place of OS::ServiceManager: keeps what it was told.
  class Manager
    attr_reader :watchdog_seconds, :told
    attr_writer :full

    def initialize(watchdog_seconds)
      @watchdog_seconds = watchdog_seconds
      @told = []
    end

    def listening? = true
    def notify(assignments) = !@full && !@told.push(*assignments).nil?
    def take = @told.slice!(0..)
  end

  def notifications(family, watchdog: nil)
    @manager = Manager.new(watchdog)
    @notifications = Coppice::Monitor::ServiceNotifications.new(@manager, roster: family.roster, port: family)
  end

  # What is told after this turn.
  def told(family)
    @notifications.turned(family.system.now)
    @manager.take
  end

  def seconds_of(assignments) = assignments.join("\n")[/^EXTEND_TIMEOUT_USEC=(\d+)$/, 1]&.to_i&./(1_000_000)

  test "ready once, when clients can connect" do
    family = family_of
    notifications(family)
    family.turn

    refute_includes told(family), "READY=1"
    family.settle

    assert_includes told(family), "READY=1"
    assert_empty told(family)
  end

  test "a roll is a reload, from the moment when it is asked for until it is decided" do
    family = settled_family(**WITHOUT_LOBBY)
    notifications(family)
    told(family)
    family.supervision.rolls.roll("/releases/broken", asked_by: "USR1")

    assert_includes told(family), "RELOADING=1\nMONOTONIC_USEC=#{(family.system.now * 1_000_000).to_i}"
    assert_empty told(family).grep(/RELOADING|READY/)
    family.settle

    assert_includes told(family), "READY=1"
  end

  test "a boot and the first worker have the time of their deadlines" do
    family = family_of(boot_timeout: 300, spawn_timeout: 20, **WITHOUT_LOBBY)
    notifications(family)
    family.turn

    assert_equal 310, seconds_of(told(family))
    family.system.advance(100)
    family.turn

    assert_nil seconds_of(told(family))
    run_until(family) { family.roster.workers.any? }

    assert_operator seconds_of(told(family)), :>=, 20
  end

  test "no more time is asked for once a worker failed to start" do
    family = family_of
    notifications(family)
    family.turn
    note_failures(family.roster.spawns, 1)

    assert_nil seconds_of(told(family))
  end

  test "the status is told when it changes" do
    family = settled_family
    notifications(family)

    assert_includes told(family), "STATUS=serving: release 1, generation 0, 4 of 4 workers ready"
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    family.turn

    assert_equal ["STATUS=serving: release 1, generation 0, 3 of 4 workers ready"], told(family)
  end

  test "a stop is told with the time that it may take" do
    family = settled_family(timeout: 20, timeout_cleanup: 2, shutdown_delay: 5)
    notifications(family)
    told(family)
    family.supervision.stop_gracefully
    answer = told(family)

    assert_includes answer, "STOPPING=1"
    assert_equal 5 + 20 + 22 + 10, seconds_of(answer)
  end

  test "what could not be sent is sent later" do
    family = settled_family
    notifications(family)
    @manager.full = true

    assert_empty told(family)
    @manager.full = false

    assert_includes told(family), "READY=1"
  end

  test "the watchdog is fed four times in its time, and the loop turns as often" do
    family = settled_family
    notifications(family, watchdog: 2.0)

    assert_includes told(family), "WATCHDOG=1"
    assert_in_delta 0.5, @notifications.longest_wait
    family.system.advance(0.4)

    assert_empty told(family)
    family.system.advance(0.1)

    assert_equal ["WATCHDOG=1"], told(family)
  end

  test "without a watchdog nothing is fed" do
    family = settled_family
    notifications(family)

    refute_includes told(family), "WATCHDOG=1"
    assert_equal Float::INFINITY, @notifications.longest_wait
  end

  test "a server without workers is fed while it starts some, not when they fail" do
    family = settled_family
    notifications(family, watchdog: 2.0)
    family.roster.ready_workers.each { |worker| family.system.signal(worker.pid, :KILL) }
    2.times { family.turn }

    refute_predicate family.roster, :serving?
    assert_includes told(family), "WATCHDOG=1"
    note_failures(family.roster.spawns, 1)
    family.system.advance(2)

    refute_includes told(family), "WATCHDOG=1"
  end

  test "a server that stops is fed until it ends" do
    family = settled_family
    notifications(family, watchdog: 2.0)
    told(family)
    family.supervision.stop_gracefully
    family.settle
    family.system.advance(1)

    assert_includes told(family), "WATCHDOG=1"
  end
end
