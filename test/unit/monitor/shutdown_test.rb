# frozen_string_literal: true

require_relative "../../support/family_test_case"

class ShutdownTest < FamilyTestCase
  test "everybody leaves, workers and molds, and then it is finished" do
    family = settled_family
    family.supervision.stop(:gracefully)
    family.turn

    refute_predicate family.supervision, :finished?
    family.settle

    assert_predicate family.supervision, :finished?
    assert_empty family.system.processes
  end

  test "with a delay everybody goes on, the dead are replaced, and no generation begins" do
    family = settled_family
    family.supervision.stop(:gracefully, delay: 5)
    family.supervision.refork
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    family.settle

    assert_equal [4, 0, nil], [family.roster.ready_workers.size, family.roster.generation, family.refused_clients]
    family.system.advance(5)
    family.settle

    assert_predicate family.supervision, :finished?
    assert family.refused_clients
  end

  test "workers serve first who waits for them, the others just leave" do
    family = settled_family(**WITHOUT_LOBBY)
    family.supervision.stop(:gracefully)
    steps = Coppice::Monitor::Shutdown.new.next(family.roster, family.system.now)
    names = steps.map { |step| step.class.name.split("::").last.to_sym }

    assert_equal [*[:Drain] * 4, :Retire], names
    assert_predicate steps.last.handle, :mold?
  end

  test "nobody leaves before those who had begun to connect have come" do
    family = settled_family(**WITHOUT_LOBBY)
    family.connecting = 2
    family.supervision.stop(:gracefully)
    family.settle

    assert family.refused_clients
    assert_equal 4, family.roster.ready_workers.size
    assert_operator family.supervision.seconds_until_due, :<=, Coppice::Monitor::Refusal::PAUSE
    family.connecting = 0
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "those who begin to connect and never come are waited for as long as the kernel tries again" do
    family = settled_family
    family.connecting = 1
    family.supervision.stop(:gracefully)
    family.settle
    family.system.advance(Coppice::Monitor::Refusal::LONGEST_WAIT - 0.1)
    family.settle

    refute_empty family.roster.ready_workers
    family.system.advance(0.2)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "nobody is wanted any more" do
    family = settled_family
    family.supervision.stop(:gracefully)

    family.supervision.resize(+1)

    assert_equal 4, family.roster.target
  end

  test "nobody is forked any more" do
    family = settled_family
    born = family.system.processes.keys.max
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    family.supervision.refork
    family.supervision.stop(:gracefully)
    family.settle

    assert_operator family.system.last_pid, :<=, born
  end

  test "who is not gone at the deadline is ended" do
    family = settled_family(timeout: 20, timeout_cleanup: 2)
    worker = family.roster.ready_workers.first
    family.process_of(worker).hanging = true
    family.supervision.stop(:gracefully)
    family.settle
    family.system.advance(41)
    family.settle

    refute_predicate family.supervision, :finished?
    family.system.advance(2)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  # A stop while a worker hangs in its hook: the family and that worker.
  def stop_with_starting_worker
    family = settled_family(spawn_timeout: 10, timeout: 20)
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    run_until(family) { family.roster.workers.any? { |worker| worker.starting? && worker.pid } }
    starting = family.roster.workers.find(&:starting?)
    process = family.process_of(starting)
    process.hanging = true
    family.supervision.stop(:gracefully)
    family.settle
    [family, starting, process]
  end

  test "a worker that does not get ready while the server stops has its spawn_timeout, and no more" do
    family, starting, = stop_with_starting_worker
    family.system.advance(9)
    family.settle

    assert_nil starting.kill_reason
    family.system.advance(2)
    family.settle

    assert_equal :stop_timeout, starting.kill_reason
    family.system.advance(1.1)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "a worker that gets ready while the server stops has as long to leave as the others" do
    family, starting, process = stop_with_starting_worker
    process.channel.send(Coppice::Control::Messages::Ready.new)
    family.system.advance(11)
    family.settle

    assert_nil starting.kill_reason
    process.hanging = false
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "at the deadline the user's signal comes first, and KILL only a second later" do
    family = settled_family(timeout_signal: :ABRT)
    worker = family.roster.ready_workers.first
    family.process_of(worker).hanging = true
    family.supervision.stop(:gracefully)
    family.turn
    family.system.advance(1000)
    family.turn

    assert_equal [:ABRT], family.system.signals.filter_map { |pid, name| name if pid == worker.pid }
    family.system.advance(2)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "at once is a second for those who heed a signal" do
    family = settled_family(**WITHOUT_LOBBY)
    family.process_of(family.roster.ready_workers.first).hanging = true
    family.supervision.stop(:at_once)
    family.turn

    assert_equal 1, family.roster.handles.size
    family.system.advance(1.1)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "a second signal may make a graceful stop an immediate one, never the other way" do
    family = settled_family
    family.supervision.stop(:gracefully)
    family.supervision.stop(:at_once)
    family.supervision.stop(:gracefully)

    assert_equal :at_once, family.roster.stopping
  end

  test "a stop while the application boots ends the mold" do
    family = family_of
    family.turn
    family.supervision.stop(:gracefully)
    family.settle

    assert_predicate family.supervision, :finished?
  end
end
