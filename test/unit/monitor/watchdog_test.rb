# frozen_string_literal: true

require_relative "../../support/family_test_case"

class WatchdogTest < FamilyTestCase
  def overdue_by(family, worker, seconds)
    worker.row.started_ms = worker.row.deadline_ms = ((family.system.now - seconds) * 1000).to_i
  end

  test "a worker past its deadline has the time for its own cleanup" do
    family = settled_family(timeout_cleanup: 2)
    worker = family.roster.ready_workers.first
    overdue_by(family, worker, 1.5)
    family.turn

    assert_predicate worker, :ready?
    family.system.advance(0.6)
    family.turn

    assert_equal [:request_timeout, true], [worker.kill_reason, worker.leaving? || worker.gone?]
  end

  test "an idle worker is never overdue" do
    family = settled_family
    family.system.advance(100_000)
    family.settle

    assert_equal [nil] * 4, family.roster.ready_workers.map(&:kill_reason)
    assert_equal 4, family.roster.ready_workers.size
  end

  test "what hangs on its way in is ended after spawn_timeout" do
    family = settled_family(spawn_timeout: 10)
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    run_until(family) { family.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = family.roster.workers.find(&:starting?)
    family.process_of(starting).hanging = true
    family.system.advance(9)
    family.turn

    assert_predicate starting, :starting?
    family.system.advance(2)
    family.turn

    assert_equal :spawn_timeout, starting.kill_reason
  end

  test "a lobby's loop that hangs while it starts again is ended as one that does not start" do
    family = settled_family(spawn_timeout: 10)
    family.system.die(family.system.lobby.loop, FakeSystem::Status.new(nil, 11))
    family.system.lobby.keeper.hanging = true
    family.turn
    family.system.advance(11)
    family.turn

    assert_equal :spawn_timeout, family.roster.lobby.kill_reason
  end

  test "a mold has three times as long, since it is ready later where others are busy" do
    family = settled_family(spawn_timeout: 10)
    family.supervision.refork
    run_until(family) { family.roster.candidate&.pid }
    mold = family.roster.candidate
    family.process_of(mold).hanging = true
    family.system.advance(29)
    family.turn

    assert_predicate mold, :starting?
    family.system.advance(2)
    family.turn

    assert_equal :spawn_timeout, mold.kill_reason
  end

  test "a mold that does not fork when asked is ended, not the child that never was" do
    family = settled_family
    mold = family.roster.mold
    family.process_of(mold).hanging = true
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    family.turn
    family.turn
    family.system.advance(11)
    family.turn

    assert_equal :spawn_timeout, mold.kill_reason
    family.settle
    family.system.advance(1) # past the pause after a child that never came
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end

  test "what does not leave in time is ended" do
    family = settled_family(timeout: 20, timeout_cleanup: 2, client_header_timeout: 15)
    worker = family.roster.ready_workers.last
    family.process_of(worker).hanging = true
    family.supervision.resize(-1)
    family.turn
    family.system.advance(36)
    family.turn

    assert_nil worker.kill_reason # it may wait for a head, and serve a request
    family.system.advance(2)
    family.turn

    assert_equal :stop_timeout, worker.kill_reason
  end

  test "without a request it is the exit hook that is late" do
    family = settled_family
    worker = family.roster.ready_workers.first
    worker.row.deadline_ms = ((family.system.now - 100) * 1000).to_i
    steps = Coppice::Monitor::Watchdog.new(family.settings).next(family.roster, family.system.now)

    assert_equal [:stop_timeout], steps.map(&:reason)
  end

  test "a request that was given more time keeps it when its worker shall leave" do
    family = settled_family(timeout: 20, timeout_cleanup: 2)
    worker = family.roster.ready_workers.last
    family.process_of(worker).hanging = true
    overdue_by(family, worker, -100)
    family.supervision.resize(-1)
    family.turn
    family.system.advance(50)
    family.turn

    assert_nil worker.kill_reason
    family.system.advance(60)
    family.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "what outlives the user's own signal is ended for certain" do
    family = settled_family(timeout_signal: :ABRT)
    worker = family.roster.ready_workers.first
    family.process_of(worker).hanging = true # fake processes that hang heed nothing but KILL
    overdue_by(family, worker, 100)
    family.turn

    assert_predicate worker, :leaving?
    family.system.advance(1.1)
    family.turn

    refute_includes family.system.processes, worker.pid
  end

  # The monitor finds out that it did not run, as after a pause of the whole machine.
  def pause(family, seconds)
    family.system.advance(seconds)
    Coppice::Monitor::MissedTime.make_up(family.roster, seconds)
    family.turn
  end

  test "after a pause of the whole machine nobody is killed for it" do
    family = settled_family(timeout_cleanup: 2, spawn_timeout: 10)
    busy, exiting, victim = family.roster.ready_workers.first(3)
    overdue_by(family, busy, -1)
    family.process_of(exiting).hanging = true
    family.supervision.recycle(exiting)
    family.system.signal(victim.pid, :KILL)
    run_until(family) { family.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = family.roster.workers.find(&:starting?)
    family.process_of(starting).hanging = true
    2.times { pause(family, 300) }

    assert_equal [nil] * family.roster.handles.size, family.roster.handles.map(&:kill_reason)
  end

  test "what hangs is killed when it has had its time without the pause" do
    family = settled_family(timeout_cleanup: 2)
    worker = family.roster.ready_workers.first
    overdue_by(family, worker, -1)
    pause(family, 300)
    family.system.advance(2.9)
    family.turn

    assert_nil worker.kill_reason
    family.system.advance(0.2)
    family.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "the next request has no more time than any other" do
    family = settled_family(timeout_cleanup: 2)
    worker = family.roster.ready_workers.first
    overdue_by(family, worker, -1)
    pause(family, 300)
    overdue_by(family, worker, 2.5)
    family.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    family.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "a turn that comes too soon for another look has one soon after it" do
    family = settled_family(timeout_cleanup: 2)
    worker = family.roster.ready_workers.first
    family.turn
    overdue_by(family, worker, 2.5)
    family.turn

    assert_nil worker.kill_reason
    family.system.advance(family.supervision.seconds_until_due + 0.001)
    family.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "a stop in progress is postponed as well" do
    family = settled_family(shutdown_delay: 3)
    family.supervision.stop(:gracefully, delay: 3)
    before = [family.roster.stop_begins_at, family.roster.stop_deadline]
    pause(family, 300)

    assert_equal before.map { |time| time + 300 }, [family.roster.stop_begins_at, family.roster.stop_deadline]
    assert_equal 4, family.roster.ready_workers.size
  end

  test "the next look is at the next deadline, and never later than a tick" do
    family = settled_family

    assert_in_delta 1.0, family.supervision.seconds_until_due
    overdue_by(family, family.roster.ready_workers.first, 1.7)
    family.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    family.turn

    assert_in_delta 0.2, family.supervision.seconds_until_due, 0.01
  end
end
