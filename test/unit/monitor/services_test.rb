# frozen_string_literal: true

require_relative "../../support/family_test_case"

class ServicesTest < FamilyTestCase
  WORKER = { before_service_worker_ready: -> {} }.freeze # asks for the service worker
  JOBS = { "jobs" => {} }.freeze

  def names(family) = family.roster.services.map { |handle| handle.service.name }

  def kill(family, handle) = family.system.die(family.process_of(handle), FakeSystem::Status.new(nil, 9))

  # Until the next generation serves every slot and the services are what they should be.
  def refork(family)
    family.supervision.refork
    family.settle
  end

  test "each service is forked once, also the service worker" do
    family = settled_family(hooks: WORKER, services: { "jobs" => {}, "cable" => {} })

    assert_equal [nil, "cable", "jobs"], names(family).sort_by(&:to_s)
    assert family.roster.services.all?(&:ready?)
    assert_equal ["", "cable", "jobs"], family.roster.services.map { |handle| handle.row.service_name }.sort
  end

  test "a service that is lost is forked again after a pause, which grows" do
    family = settled_family(services: JOBS)
    pauses = Array.new(3) do
      kill(family, family.roster.service("jobs"))
      family.settle

      assert_empty names(family)
      pause = family.roster.service_backoff("jobs").not_before - family.system.now
      family.system.advance(pause)
      family.settle

      assert_equal ["jobs"], names(family)
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4], pauses
  end

  test "a service that ends by itself is forked again, and what ran long has a short pause" do
    family = settled_family(services: JOBS)
    note_failures(family.roster.service_backoff("jobs"), 5)
    family.system.advance(60)
    family.system.die(family.process_of(family.roster.service("jobs")), FakeSystem::Status.new(0, nil))
    family.settle
    family.system.advance(0.1)
    family.settle

    assert_equal ["jobs"], names(family)
  end

  test "a service that never gets ready is its own affair" do
    family = settled_family(worker_processes: 2, max_consecutive_spawn_errors: 3, services: JOBS)
    kill(family, family.roster.service("jobs"))
    lost = []
    run_until(family) do
      family.system.processes.each_value { |process| process.broken = true if process.role == :service }
      family.system.advance(1)
      (lost |= family.roster.services).size > 5
    end

    assert_nil family.roster.give_up_reason
    assert_equal 0, family.roster.spawns.failures
    assert_operator family.roster.service_backoff("jobs").failures, :>=, 4
  end

  test "one service that is lost says nothing of another one, nor of the workers" do
    family = settled_family(services: { "jobs" => {}, "cable" => {} })
    kill(family, family.roster.service("jobs"))
    kill(family, family.roster.ready_workers.first)
    family.settle

    assert_equal [1, 0], %w[jobs cable].map { |name| family.roster.service_backoff(name).failures }
    assert_equal 4, family.roster.ready_workers.size
  end

  test "what its process group has left is killed before it is reaped" do
    family = settled_family(services: JOBS)
    pid = family.roster.service("jobs").pid
    kill(family, family.roster.service("jobs"))
    family.turn

    assert_includes family.system.signals, [-pid, :KILL]
  end

  test "after a refork the next one is forked when the last one is gone" do
    family = settled_family(services: JOBS)
    first = family.roster.service("jobs")
    family.supervision.refork
    run_until(family) { names(family).size > 1 || family.roster.service("jobs")&.generation == 1 }

    assert_predicate first, :gone?
    family.settle

    assert_equal [1, true], [family.roster.service("jobs").generation, family.roster.service("jobs").ready?]
  end

  test "a service that survives reforks is replaced only when it has ended, by a fork of the newest mold" do
    family = settled_family(services: { "jobs" => { survives_reforks: true } })
    first = family.roster.service("jobs")
    2.times { refork(family) }

    assert_same first, family.roster.service("jobs")
    assert_equal 2, family.roster.generation
    kill(family, first)
    family.settle
    family.system.advance(1)
    family.settle

    assert_equal 2, family.roster.service("jobs").generation
  end

  test "none leaves while a candidate is on trial" do
    family = settled_family(services: JOBS)
    family.supervision.refork
    run_until(family) { family.roster.candidate&.ready? }

    refute_predicate family.roster.service("jobs"), :leaving?
  end

  test "one that does not exit in its own time is killed" do
    family = settled_family(timeout: 60, services: { "jobs" => { timeout: 3 } })
    jobs = family.roster.service("jobs")
    family.process_of(jobs).hanging = true
    refork(family)
    family.system.advance(2.9)
    family.turn

    assert_nil jobs.kill_reason
    family.system.advance(0.2)
    family.settle

    assert_equal :stop_timeout, jobs.kill_reason
    assert_predicate jobs, :gone?
  end

  test "a service whose program is another one by now gets TERM" do
    family = settled_family(services: JOBS)
    jobs = family.roster.service("jobs")
    family.process_of(jobs).channel.close
    family.turn

    assert_nil jobs.deadline
    family.supervision.stop(:gracefully)
    family.turn

    assert_includes family.system.signals, [jobs.pid, :TERM]
  end

  test "a service that somebody else has reaped is replaced" do
    family = settled_family(services: JOBS)
    family.system.vanish(family.process_of(family.roster.service("jobs")))
    family.settle
    family.system.advance(1)
    family.settle

    assert_predicate family.roster.service("jobs"), :ready?
  end

  test "services exit first when the server stops, while workers serve on" do
    family = settled_family(services: { "jobs" => { timeout: 20 } })
    family.process_of(family.roster.service("jobs")).hanging = true
    family.supervision.stop(:gracefully)
    family.system.advance(19)
    family.settle

    assert_equal [4, nil], [family.roster.ready_workers.size, family.refused_clients]
    family.process_of(family.roster.service("jobs")).hanging = false
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "a service that does not exit is killed, and the others have all of their time after it" do
    family = settled_family(timeout: 20, timeout_cleanup: 2, services: { "jobs" => { timeout: 5 } })
    family.process_of(family.roster.service("jobs")).hanging = true
    worker = family.roster.ready_workers.first
    family.process_of(worker).hanging = true
    family.supervision.stop(:gracefully)
    family.settle
    family.system.advance(5.1)
    family.settle

    assert_empty names(family)
    family.system.advance(41)
    family.settle

    assert_nil worker.kill_reason
    family.system.advance(2)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "during shutdown_delay services exit, and none is forked again" do
    family = settled_family(services: JOBS)
    family.supervision.stop(:gracefully, delay: 5)
    family.settle
    family.system.advance(3)
    family.settle

    assert_equal [[], 4, nil], [names(family), family.roster.ready_workers.size, family.refused_clients]
    family.system.advance(2)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "an immediate stop waits for no service" do
    family = settled_family(services: JOBS)
    family.process_of(family.roster.service("jobs")).hanging = true
    family.supervision.stop(:at_once)
    family.settle
    family.system.advance(1.1)
    family.settle

    assert_predicate family.supervision, :finished?
  end
end
