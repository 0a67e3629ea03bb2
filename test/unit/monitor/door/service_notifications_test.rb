# frozen_string_literal: true

require "coppice/monitor/door/service_notifications"
require_relative "../../../support/supervision_test_case"

# What the service manager is told of a server without processes.
class ServiceNotificationsTest < SupervisionTestCase
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

  FILTERED = FakeSystem::Status.new(nil, 31).freeze

  def notifications(server, watchdog: nil)
    @manager = Manager.new(watchdog)
    @notifications = Coppice::Monitor::ServiceNotifications.new(@manager, roster: server.roster, port: server)
  end

  # What is told after this turn.
  def told(server)
    @notifications.turned(server.system.now)
    @manager.take
  end

  def seconds_of(assignments) = assignments.join("\n")[/^EXTEND_TIMEOUT_USEC=(\d+)$/, 1]&.to_i&./(1_000_000)

  test "ready once, when clients can connect" do
    server = server_of
    notifications(server)
    server.turn

    refute_includes told(server), "READY=1"
    server.settle

    assert_includes told(server), "READY=1"
    assert_empty told(server)
  end

  test "a roll that waits for the end of the boot does not hold up the news that the server is ready" do
    server = server_of(**WITHOUT_LOBBY)
    notifications(server)
    server.supervision.rolls.roll("/releases/2", asked_by: "test")
    run_until(server) { server.open? }

    assert_includes told(server), "READY=1"
    assert_match(/RELOADING=1/, told(server).join)
  end

  test "a roll is a reload, from the moment when it is asked for until it is decided" do
    server = settled_server(**WITHOUT_LOBBY)
    notifications(server)
    told(server)
    server.supervision.rolls.roll("/releases/broken", asked_by: "USR1")

    assert_includes told(server), "RELOADING=1\nMONOTONIC_USEC=#{(server.system.now * 1_000_000).to_i}"
    assert_empty told(server).grep(/RELOADING|READY/)
    server.settle

    assert_includes told(server), "READY=1"
  end

  test "a roll that cannot begin is a reload that is over, for a manager that has asked for it by a signal" do
    server = settled_server(**WITHOUT_LOBBY)
    notifications(server)
    told(server)
    server.supervision.rolls.roll("/releases/broken", asked_by: "somebody")
    begun = told(server).first
    server.system.advance(1)
    server.supervision.rolls.roll_by_signal
    answer = "RELOADING=1\nMONOTONIC_USEC=#{(server.system.now * 1_000_000).to_i}"

    assert_equal [answer, begun], told(server).grep(/RELOADING|READY/)
    assert_empty told(server)
  end

  test "a signal that comes before the server is ready, or while it stops, is no reload" do
    server = server_of(**WITHOUT_LOBBY)
    notifications(server)
    2.times { server.supervision.rolls.roll_by_signal }

    assert_empty told(server).grep(/RELOADING/)
    server.settle
    told(server)
    server.operations.stop(:gracefully)
    server.supervision.rolls.roll_by_signal

    assert_equal ["STOPPING=1"], told(server).grep(/RELOADING|READY|STOPPING/)
  end

  test "a lobby that cannot start gets no more time than the service manager gives" do
    server = server_of
    notifications(server, watchdog: 10)
    server.turn
    assert_operator seconds_of(told(server)), :>, 0
    [server.system.lobby.keeper, server.system.lobby.loop].compact.each { |part| server.system.die(part, FILTERED) }
    run_until(server) { server.roster.lobbies.failures == 1 && !server.roster.seats? }
    server.system.advance(11)

    assert_empty told(server).grep(/EXTEND|WATCHDOG/)
    server.settle

    assert_includes told(server), "WATCHDOG=1"
  end

  test "a boot and the first worker have the time of their deadlines" do
    server = server_of(boot_timeout: 300, spawn_timeout: 20, **WITHOUT_LOBBY)
    notifications(server)
    server.turn

    assert_equal 310, seconds_of(told(server))
    server.system.advance(100)
    server.turn

    assert_nil seconds_of(told(server))
    run_until(server) { server.roster.workers.any? }

    assert_operator seconds_of(told(server)), :>=, 20
  end

  test "no more time is asked for once a worker failed to start" do
    server = server_of
    notifications(server)
    server.turn
    note_failures(server.roster.spawns, 1)

    assert_nil seconds_of(told(server))
  end

  test "the status is told when it changes" do
    server = settled_server
    notifications(server)

    assert_includes told(server), "STATUS=serving: release 1, generation 0, 4 of 4 workers ready"
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.turn

    assert_equal ["STATUS=serving: release 1, generation 0, 3 of 4 workers ready"], told(server)
    server.roster.wanted = 2

    assert_equal ["STATUS=serving: release 1, generation 0, 2 of 2 and 1 surplus workers ready"], told(server)
  end

  test "a stop is told with the time that it may take" do
    server = settled_server(timeout: 20, timeout_cleanup: 2, shutdown_delay: 5)
    notifications(server)
    told(server)
    server.operations.stop_gracefully
    answer = told(server)

    assert_includes answer, "STOPPING=1"
    assert_equal 5 + 20 + 22 + 10, seconds_of(answer)
  end

  test "what could not be sent is sent later" do
    server = settled_server
    notifications(server)
    @manager.full = true

    assert_empty told(server)
    @manager.full = false

    assert_includes told(server), "READY=1"
  end

  test "the watchdog is fed four times in its time, and the loop turns as often" do
    server = settled_server
    notifications(server, watchdog: 2.0)

    assert_includes told(server), "WATCHDOG=1"
    assert_in_delta 0.5, @notifications.longest_wait
    server.system.advance(0.4)

    assert_empty told(server)
    server.system.advance(0.1)

    assert_equal ["WATCHDOG=1"], told(server)
  end

  test "without a watchdog nothing is fed" do
    server = settled_server
    notifications(server)

    refute_includes told(server), "WATCHDOG=1"
    assert_equal Float::INFINITY, @notifications.longest_wait
  end

  test "a server without workers is fed while it starts some, not when they fail" do
    server = settled_server
    notifications(server, watchdog: 2.0)
    server.roster.ready_workers.each { |worker| server.system.signal(worker.pid, :KILL) }
    2.times { server.turn }

    refute_predicate server.roster, :serving?
    assert_includes told(server), "WATCHDOG=1"
    note_failures(server.roster.spawns, 1)
    server.system.advance(2)

    refute_includes told(server), "WATCHDOG=1"
  end

  test "a server that stops is fed until it ends" do
    server = settled_server
    notifications(server, watchdog: 2.0)
    told(server)
    server.operations.stop_gracefully
    server.settle
    server.system.advance(1)

    assert_includes told(server), "WATCHDOG=1"
  end
end
