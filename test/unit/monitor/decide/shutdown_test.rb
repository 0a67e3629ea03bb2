# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class ShutdownTest < SupervisionTestCase
  test "everybody leaves, workers and molds, and then it is finished" do
    server = settled_server
    server.operations.stop(:gracefully)
    server.turn

    refute_predicate server.supervision, :finished?
    server.settle

    assert_predicate server.supervision, :finished?
    assert_empty server.system.processes
  end

  test "with a delay everybody goes on, the dead are replaced, and no generation begins" do
    server = settled_server
    server.operations.stop(:gracefully, delay: 5)
    server.operations.refork
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.settle

    assert_equal [4, 0, nil], [server.roster.ready_workers.size, server.roster.generation, server.refused_clients]
    server.system.advance(5)
    server.settle

    assert_predicate server.supervision, :finished?
    assert server.refused_clients
  end

  test "workers serve first who waits for them, the others just leave" do
    server = settled_server(**WITHOUT_LOBBY)
    server.operations.stop(:gracefully)
    steps = Coppice::Monitor::Shutdown.new.next(server.roster, server.system.now)
    names = steps.map { |step| step.class.name.split("::").last.to_sym }

    assert_equal [*[:Drain] * 4, :Retire], names
    assert_predicate steps.last.handle, :mold?
  end

  test "nobody leaves before those who had begun to connect have come" do
    server = settled_server(**WITHOUT_LOBBY)
    server.connecting = 2
    server.operations.stop(:gracefully)
    server.settle

    assert server.refused_clients
    assert_equal 4, server.roster.ready_workers.size
    assert_operator server.supervision.seconds_until_due, :<=, Coppice::Monitor::Refusal::PAUSE
    server.connecting = 0
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "those who begin to connect and never come are waited for as long as the kernel tries again" do
    server = settled_server
    server.connecting = 1
    server.operations.stop(:gracefully)
    server.settle
    server.system.advance(Coppice::Monitor::Refusal::LONGEST_WAIT - 0.1)
    server.settle

    refute_empty server.roster.ready_workers
    server.system.advance(0.2)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "nobody is wanted any more" do
    server = settled_server
    server.operations.stop(:gracefully)

    server.operations.resize(+1)

    assert_equal 4, server.roster.target
  end

  test "nobody is forked any more" do
    server = settled_server
    born = server.system.processes.keys.max
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.operations.refork
    server.operations.stop(:gracefully)
    server.settle

    assert_operator server.system.last_pid, :<=, born
  end

  test "who is not gone at the deadline is ended" do
    server = settled_server(timeout: 20, timeout_cleanup: 2)
    worker = server.roster.ready_workers.first
    server.process_of(worker).hanging = true
    server.operations.stop(:gracefully)
    server.settle
    server.system.advance(41)
    server.settle

    refute_predicate server.supervision, :finished?
    server.system.advance(2)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  # A stop while a worker hangs in its hook: the server and that worker.
  def stop_with_starting_worker
    server = settled_server(spawn_timeout: 10, timeout: 20)
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    run_until(server) { server.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = server.roster.workers.find(&:starting?)
    process = server.process_of(starting)
    process.hanging = true
    server.operations.stop(:gracefully)
    server.settle
    [server, starting, process]
  end

  test "a worker that does not get ready while the server stops has its spawn_timeout, and no more" do
    server, starting, = stop_with_starting_worker
    server.system.advance(9)
    server.settle

    assert_nil starting.kill_reason
    server.system.advance(2)
    server.settle

    assert_equal :stop_timeout, starting.kill_reason
    server.system.advance(1.1)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "a worker that gets ready while the server stops has as long to leave as the others" do
    server, starting, process = stop_with_starting_worker
    process.channel.send(Coppice::Control::Messages::Ready.new)
    server.system.advance(11)
    server.settle

    assert_nil starting.kill_reason
    process.hanging = false
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "at the deadline the user's signal comes first, and KILL only a second later" do
    server = settled_server(timeout_signal: :ABRT)
    worker = server.roster.ready_workers.first
    server.process_of(worker).hanging = true
    server.operations.stop(:gracefully)
    server.turn
    server.system.advance(1000)
    server.turn

    assert_equal [:ABRT], server.system.signals.filter_map { |pid, name| name if pid == worker.pid }
    server.system.advance(2)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "at once is a second for those who heed a signal" do
    server = settled_server(**WITHOUT_LOBBY)
    server.process_of(server.roster.ready_workers.first).hanging = true
    server.operations.stop(:at_once)
    server.turn

    assert_equal 1, server.roster.handles.size
    server.system.advance(1.1)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "a second signal may make a graceful stop an immediate one, never the other way" do
    server = settled_server
    server.operations.stop(:gracefully)
    server.operations.stop(:at_once)
    server.operations.stop(:gracefully)

    assert_equal :at_once, server.roster.stopping
  end

  test "a stop while the application boots ends the mold" do
    server = server_of
    server.turn
    server.operations.stop(:gracefully)
    server.settle

    assert_predicate server.supervision, :finished?
  end
end
