# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class RolloutTest < SupervisionTestCase
  def leaving(server) = server.roster.workers.select(&:leaving?)

  # The fewest that were ready, and the most that were there at all, while a new generation was rolled out.
  def extremes(**settings)
    server = settled_server(**settings)
    server.operations.refork
    ready = []
    there = []
    run_until(server) do
      ready << server.roster.ready_workers.size
      there << server.roster.workers.size
      server.roster.generation == 1 && server.roster.settled?
    end
    [ready.min, there.max]
  ensure
    server.close
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
    server = settled_server(worker_processes: 4)
    server.operations.refork
    run_until(server) { server.roster.generation == 1 }
    note_failures(server.roster.spawns, Coppice::Monitor::RolloutBudget::FAILED_FORKS)
    run_until(server) { server.roster.ready_workers.size == 3 }

    assert_equal 1, leaving(server).size
  end

  # Tells that each worker has so much memory of its own, and that so much is left.
  def rollout_with(private_kib:, left_kib:)
    server = settled_server(worker_processes: 4)
    server.system.memory_left_kib = left_kib
    server.roster.ready_workers.each { |worker| worker.row.private_kib = private_kib }
    server.operations.refork
    run_until(server) { server.roster.generation == 1 }
    run_until(server) { server.roster.settled? || server.roster.ready_workers.size < 4 }
    server.roster.ready_workers.size
  ensure
    server.close
  end

  test "where the memory that is left has no room for a surplus worker, a rollout goes on without" do
    assert_equal 4, rollout_with(private_kib: 50_000, left_kib: 60_000)
    assert_equal 3, rollout_with(private_kib: 50_000, left_kib: 40_000)
  end

  test "a slot that is empty for another reason counts" do
    server = settled_server(worker_processes: 4, refork_surge: 0)
    server.operations.refork
    run_until(server) { server.roster.generation == 1 && leaving(server).empty? }
    outdated = server.roster.outdated_workers.first
    server.system.die(server.process_of(outdated), FakeSystem::Status.new(nil, 9))
    server.turn

    assert_empty leaving(server)
  end

  test "the least warm worker leaves first" do
    server = settled_server(worker_processes: 4)
    server.roster.ready_workers.each { |worker| worker.row.requests = 100 - worker.nr }
    server.operations.refork
    run_until(server) { server.roster.generation == 1 && leaving(server).any? }

    assert_equal [3], leaving(server).map(&:nr)
  end

  test "nobody leaves while there is no mold to fork a successor, or a candidate is on trial" do
    server = settled_server(refork_surge: 0)
    rollout = Coppice::Monitor::Rollout.new(server.settings)
    mold = server.roster.mold
    server.roster.workers.each { |worker| worker.over_limit = true }

    assert_equal 1, rollout.next(server.roster, 0).size
    succession = server.roster.succession
    succession.start(mold)

    assert_empty rollout.next(server.roster, 0)
    succession.abandon(mold, "it is lost", 0, pause: nil, of_release: true)

    assert_empty rollout.next(server.roster, 0)
  end
end
