# frozen_string_literal: true

require_relative "../../support/family_test_case"

class RolloutTest < FamilyTestCase
  def leaving(family) = family.roster.workers.select(&:leaving?)

  # The fewest that were ready, and the most that were there at all, while a new generation was rolled out.
  def extremes(**settings)
    family = settled_family(**settings)
    family.supervision.refork
    ready = []
    there = []
    run_until(family) do
      ready << family.roster.ready_workers.size
      there << family.roster.workers.size
      family.roster.generation == 1 && family.roster.settled?
    end
    [ready.min, there.max]
  ensure
    family.close
  end

  test "successors are ready before anybody leaves" do
    assert_equal [4, 5], extremes(worker_processes: 4)
    assert_equal [20, 22], extremes(worker_processes: 20)
    assert_equal 4, extremes(worker_processes: 4, refork_surge: "100%").first
  end

  test "without a surge a tenth of the workers, rounded up, is away at a time" do
    assert_equal [9, 10], extremes(worker_processes: 10, refork_surge: 0)
    assert_equal [9, 11], extremes(worker_processes: 11, refork_surge: 0)
  end

  test "as many are away as the user allows" do
    assert_equal [5, 8], extremes(worker_processes: 8, refork_surge: 0, refork_max_unavailable: 3)
    assert_equal 5, extremes(worker_processes: 8, refork_surge: 1, refork_max_unavailable: 3).first
  end

  test "where there is no room for a surge, a rollout goes on without" do
    family = settled_family(worker_processes: 4)
    family.supervision.refork
    run_until(family) { family.roster.generation == 1 }
    note_failures(family.roster.spawns, Coppice::Monitor::RolloutBudget::FAILED_FORKS)
    run_until(family) { family.roster.ready_workers.size == 3 }

    assert_equal 1, leaving(family).size
  end

  # Tells that each worker has so much memory of its own, and that so much is left.
  def rollout_with(private_kib:, left_kib:)
    family = settled_family(worker_processes: 4)
    family.system.memory_left_kib = left_kib
    family.roster.ready_workers.each { |worker| worker.row.private_kib = private_kib }
    family.supervision.refork
    run_until(family) { family.roster.generation == 1 }
    run_until(family) { family.roster.settled? || family.roster.ready_workers.size < 4 }
    family.roster.ready_workers.size
  ensure
    family.close
  end

  test "where the memory that is left has no room for a surplus worker, a rollout goes on without" do
    assert_equal 4, rollout_with(private_kib: 50_000, left_kib: 60_000)
    assert_equal 3, rollout_with(private_kib: 50_000, left_kib: 40_000)
  end

  test "a slot that is empty for another reason counts" do
    family = settled_family(worker_processes: 4, refork_surge: 0)
    family.supervision.refork
    run_until(family) { family.roster.generation == 1 && leaving(family).empty? }
    outdated = family.roster.outdated_workers.first
    family.system.die(family.process_of(outdated), FakeSystem::Status.new(nil, 9))
    family.turn

    assert_empty leaving(family)
  end

  test "the least warm worker leaves first" do
    family = settled_family(worker_processes: 4)
    family.roster.ready_workers.each { |worker| worker.row.requests = 100 - worker.nr }
    family.supervision.refork
    run_until(family) { family.roster.generation == 1 && leaving(family).any? }

    assert_equal [3], leaving(family).map(&:nr)
  end

  test "nobody leaves while there is no mold to fork a successor, or a candidate is on trial" do
    family = settled_family(refork_surge: 0)
    rollout = Coppice::Monitor::Rollout.new(family.settings)
    mold = family.roster.mold
    family.roster.workers.each { |worker| worker.over_limit = true }

    assert_equal 1, rollout.next(family.roster, 0).size
    succession = family.roster.succession
    succession.start(mold)

    assert_empty rollout.next(family.roster, 0)
    succession.abandon(mold, "it is lost", 0, pause: 0, at_once: true, of_release: true)

    assert_empty rollout.next(family.roster, 0)
  end
end
