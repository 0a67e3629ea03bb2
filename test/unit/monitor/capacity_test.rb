# frozen_string_literal: true

require_relative "../../support/family_test_case"

class CapacityTest < FamilyTestCase
  test "the mold is asked for one child at a time" do
    family = family_of(worker_processes: 4)
    most = 0
    run_until(family) do
      most = [most, family.roster.handles.count { |handle| handle.requested? && handle.worker? }].max
      family.roster.ready_workers.size == 4
    end

    assert_equal 1, most
  end

  test "a dead worker's slot is filled by a child of the current mold" do
    family = settled_family
    family.supervision.refork
    family.settle
    victim = family.roster.ready_workers.find { |worker| worker.nr == 2 }
    family.system.advance(2)
    family.system.signal(victim.pid, :KILL)
    family.turn
    successor = family.roster.workers.find { |worker| worker.nr == 2 }

    assert_same family.roster.mold, successor.parent
    assert_equal 1, successor.generation
  end

  test "one more and one less: the highest slot comes and goes" do
    family = settled_family(worker_processes: 2)
    family.supervision.resize(+1)
    family.settle

    assert_equal [0, 1, 2], family.roster.ready_workers.map(&:nr).sort
    family.supervision.resize(-1)
    family.settle

    assert_equal [0, 1], family.roster.workers.map(&:nr).sort
  end

  test "there is always one worker" do
    family = settled_family(worker_processes: 1)

    family.supervision.resize(-1)

    assert_equal 1, family.roster.target
  end

  test "a number of workers that stays the same is no change" do
    lines = []
    log = FakeFamily::Silence.new
    log.define_singleton_method(:info) { |message, **| lines << message }
    family = settled_family(worker_processes: 1, log: log)
    [-1, 0, +1].each { |difference| family.supervision.resize(difference) }

    assert_equal [2, 1], [family.roster.wanted, lines.count("number of workers changed")]
  end

  test "a child that never gets ready is tried again after a pause that grows" do
    family = settled_family(worker_processes: 2)
    pauses = Array.new(3) do
      family.system.signal(family.roster.ready_workers.last.pid, :KILL) if family.roster.ready_workers.size == 2
      run_until(family) { family.roster.workers.any?(&:starting?) && family.roster.workers.find(&:starting?).pid }
      family.process_of(family.roster.workers.find(&:starting?)).broken = true
      run_until(family) { family.roster.workers.size == 1 }
      pause = family.roster.spawns.not_before - family.system.now
      family.system.advance(pause)
      pause
    end

    assert_equal pauses.sort.uniq, pauses
    assert_operator pauses.first, :>, 0
  end

  test "a worker that gets ready ends the count of errors" do
    family = settled_family(worker_processes: 2, max_consecutive_spawn_errors: 5)
    note_failures(family.roster.spawns, 4)
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    family.settle

    assert_equal 0, family.roster.spawns.failures
    assert_nil family.roster.give_up_reason
  end

  test "as many errors in a row as the user allows end the server" do
    family = settled_family(worker_processes: 2, max_consecutive_spawn_errors: 3)
    note_failures(family.roster.spawns, 3)
    family.turn

    assert_match(/3 children in a row/, family.roster.give_up_reason)
  end

  test "a child that was reaped before anybody told its pid frees its slot" do
    family = settled_family
    victim = family.roster.ready_workers.last
    family.system.signal(victim.pid, :KILL)
    family.turn
    family.system.step(family.process_of(family.roster.mold))
    newborn = family.system.processes.values.last
    family.system.die(newborn, FakeSystem::Status.new(nil, 9))
    family.turn([]) # reaps before it hears
    family.turn

    assert_empty(family.roster.workers.select { |worker| worker.nr == victim.nr })
    family.system.advance(1)
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end

  test "a child that was ready before its end has not failed to start, though it was reaped before it was heard" do
    family = settled_family(worker_processes: 2)
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    family.turn
    family.system.step(family.process_of(family.roster.mold))
    newborn = family.system.processes.values.last
    family.turn
    handle = family.roster.children.by_pid[newborn.pid]
    3.times { family.system.step(newborn) }
    family.system.die(newborn, FakeSystem::Status.new(0, nil))
    family.turn([])

    assert_equal [true, 0], [!handle.ready_at.nil?, family.roster.spawns.failures]
  end

  test "a child that nobody will ever reap is found out" do
    family = settled_family
    family.system.vanish(family.process_of(family.roster.ready_workers.first))
    family.settle
    family.system.advance(30)
    2.times { family.settle }

    assert_equal 4, family.roster.ready_workers.size
  end

  test "a worker that dies with its first breath is not replaced without a pause" do
    family = family_of(worker_processes: 1)
    run_until(family) { family.roster.ready_workers.any? }
    family.roster.ready_workers.first.row.requests = 0
    family.system.signal(family.roster.ready_workers.first.pid, :KILL)
    family.turn

    assert_operator family.roster.spawns.not_before, :>, family.system.now
  end
end
