# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class WatchdogTest < SupervisionTestCase
  def overdue_by(server, worker, seconds)
    worker.row.started_ms = worker.row.deadline_ms = ((server.system.now - seconds) * 1000).to_i
  end

  test "a worker past its deadline has the time for its own cleanup" do
    server = settled_server(timeout_cleanup: 2)
    worker = server.roster.ready_workers.first
    overdue_by(server, worker, 1.5)
    server.turn

    assert_predicate worker, :ready?
    server.system.advance(0.6)
    server.turn

    assert_equal [:request_timeout, true], [worker.kill_reason, worker.leaving? || worker.gone?]
  end

  test "an idle worker is never overdue" do
    server = settled_server
    server.system.advance(100_000)
    server.settle

    assert_equal [nil] * 4, server.roster.ready_workers.map(&:kill_reason)
    assert_equal 4, server.roster.ready_workers.size
  end

  test "what hangs on its way in is ended after spawn_timeout" do
    server = settled_server(spawn_timeout: 10)
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    run_until(server) { server.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = server.roster.workers.find(&:starting?)
    server.process_of(starting).hanging = true

    assert_killed_after(server, starting, 10)
  end

  test "a start has the time again for which it waited for a processor" do
    server = settled_server(spawn_timeout: 10)
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    run_until(server) { server.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = server.roster.workers.find(&:starting?)
    server.process_of(starting).hanging = true
    server.system.processor_waits[starting.pid] = 50

    assert_killed_after(server, starting, 60)
  end

  test "a lobby's loop that hangs while it starts again is ended as one that does not start" do
    server = settled_server(spawn_timeout: 10)
    server.system.die(server.system.lobby.loop, FakeSystem::Status.new(nil, 11))
    server.system.lobby.keeper.hanging = true
    server.turn
    server.system.advance(11)
    server.turn

    assert_equal :spawn_timeout, server.roster.lobby.kill_reason
  end

  test "a lobby's keeper that hangs is killed, unless it has exited meanwhile" do
    server = settled_server
    keepers = [false, true].map do |exited|
      lobby = server.system.lobby
      lobby.loop.channel.send(Coppice::Control::LobbyPacket.of("hanging", "keeper"))
      lobby.keeper.tap do |keeper|
        server.system.die(keeper, FakeSystem::Status.new(nil, 11)) if exited
        server.settle
      end
    end

    assert_equal [[keepers.first.pid, :KILL]], server.system.signals
    assert_equal 2, server.roster.lobby.pids.size
  end

  test "a mold has three times as long, since its hooks may prepare what all workers share" do
    server = settled_server(spawn_timeout: 10)
    server.operations.refork
    run_until(server) { server.roster.candidate&.pid }
    mold = server.roster.candidate
    server.process_of(mold).hanging = true

    assert_killed_after(server, mold, 30)
  end

  test "a mold that does not fork when asked is ended, not the child that never was" do
    server = settled_server
    mold = server.roster.mold
    server.process_of(mold).hanging = true
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.turn
    server.turn
    server.system.advance(11)
    server.turn

    assert_equal :spawn_timeout, mold.kill_reason
    server.settle
    server.system.advance(1) # past the pause after a child that never came
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  # A mold that has been asked for two workers, and has not looked yet.
  def asked_for_two(server)
    server.roster.ready_workers.first(2).each { |worker| server.system.signal(worker.pid, :KILL) }
    2.times { server.turn }

    assert_equal 2, server.roster.workers.count(&:requested?)
    server.roster.mold
  end

  test "the second of two forks has its time once the first is made" do
    server = settled_server(spawn_timeout: 10)
    mold = asked_for_two(server)
    server.system.advance(9)
    server.system.step(server.process_of(mold)) # forks the first
    server.turn

    assert_killed_after(server, mold, 10)
  end

  test "a mold that makes neither of two forks is ended when the first is late, and both are asked of its successor" do
    server = settled_server(spawn_timeout: 10)
    mold = asked_for_two(server)
    server.process_of(mold).hanging = true
    server.system.advance(11)
    server.turn

    assert_equal :spawn_timeout, mold.kill_reason
    server.settle
    server.system.advance(1)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  test "what does not leave in time is ended" do
    server = settled_server(timeout: 20, timeout_cleanup: 2, client_header_timeout: 15)
    worker = server.roster.ready_workers.last
    server.process_of(worker).hanging = true
    server.operations.resize(-1)
    server.turn

    assert_killed_after(server, worker, 20 + 2 + 15, :stop_timeout) # it may serve a request, and wait for a head
  end

  test "without a request it is the exit hook that is late" do
    server = settled_server
    worker = server.roster.ready_workers.first
    worker.row.deadline_ms = ((server.system.now - 100) * 1000).to_i
    watchdog = Coppice::Monitor::Watchdog.new(server.settings, server.board, server.system)
    steps = watchdog.next(server.roster, server.system.now)

    assert_equal [:stop_timeout], steps.map(&:reason)
  end

  test "a request that was given more time keeps it when its worker shall leave" do
    server = settled_server(timeout: 20, timeout_cleanup: 2)
    worker = server.roster.ready_workers.last
    server.process_of(worker).hanging = true
    overdue_by(server, worker, -100)
    server.operations.resize(-1)
    server.turn
    server.system.advance(50)
    server.turn

    assert_nil worker.kill_reason
    server.system.advance(60)
    server.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "what outlives the user's own signal is ended for certain" do
    server = settled_server(timeout_signal: :ABRT)
    worker = server.roster.ready_workers.first
    server.process_of(worker).hanging = true # fake processes that hang heed nothing but KILL
    overdue_by(server, worker, 100)
    server.turn

    assert_predicate worker, :leaving?
    server.system.advance(1.1)
    server.turn

    refute_includes server.system.processes, worker.pid
  end

  # The monitor finds out that it did not run, as after a pause of the whole machine.
  def pause(server, seconds)
    server.system.advance(seconds)
    Coppice::Monitor::MissedTime.make_up(server.roster, seconds)
    server.turn
  end

  test "after a pause of the whole machine nobody is killed for it" do
    server = settled_server(timeout_cleanup: 2, spawn_timeout: 10)
    busy, exiting, victim = server.roster.ready_workers.first(3)
    overdue_by(server, busy, -1)
    server.process_of(exiting).hanging = true
    server.operations.recycle(exiting)
    server.system.signal(victim.pid, :KILL)
    run_until(server) { server.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = server.roster.workers.find(&:starting?)
    server.process_of(starting).hanging = true
    2.times { pause(server, 300) }

    assert_equal [nil] * server.roster.handles.size, server.roster.handles.map(&:kill_reason)
  end

  test "what hangs is killed when it has had its time without the pause" do
    server = settled_server(timeout_cleanup: 2)
    worker = server.roster.ready_workers.first
    overdue_by(server, worker, -1)
    pause(server, 300)
    server.system.advance(2.9)
    server.turn

    assert_nil worker.kill_reason
    server.system.advance(0.2)
    server.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "the next request has no more time than any other" do
    server = settled_server(timeout_cleanup: 2)
    worker = server.roster.ready_workers.first
    overdue_by(server, worker, -1)
    pause(server, 300)
    overdue_by(server, worker, 2.5)
    server.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    server.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "a turn that comes too soon for another look has one soon after it" do
    server = settled_server(timeout_cleanup: 2)
    worker = server.roster.ready_workers.first
    server.turn
    overdue_by(server, worker, 2.5)
    server.turn

    assert_nil worker.kill_reason
    server.system.advance(server.supervision.seconds_until_due + 0.001)
    server.turn

    assert_equal :request_timeout, worker.kill_reason
  end

  test "a stop in progress is postponed as well" do
    server = settled_server(shutdown_delay: 3)
    server.operations.stop(:gracefully, delay: 3)
    before = [server.roster.stop.exits_begin_at, server.roster.stop.deadline]
    pause(server, 300)

    assert_equal before.map { |time| time + 300 }, [server.roster.stop.exits_begin_at, server.roster.stop.deadline]
    assert_equal 4, server.roster.ready_workers.size
  end

  test "the next look is at the next deadline, and never later than a tick" do
    server = settled_server

    assert_in_delta 1.0, server.supervision.seconds_until_due
    overdue_by(server, server.roster.ready_workers.first, 1.7)
    server.system.advance(Coppice::Monitor::Watchdog::LOOK_PAUSE)
    server.turn

    assert_in_delta 0.2, server.supervision.seconds_until_due, 0.01
  end
end
