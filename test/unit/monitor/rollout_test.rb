# frozen_string_literal: true

require_relative "../../support/family_test_case"

class RolloutTest < FamilyTestCase
  def leaving(family) = family.roster.workers.select(&:leaving?)

  # The most that were on their way out at once, while a new generation was rolled out.
  def widest(family)
    family.supervision.refork
    most = 0
    run_until(family) do
      most = [most, leaving(family).size].max
      family.roster.generation == 1 && family.roster.settled?
    end
    most
  end

  test "a tenth of the workers, rounded up, is replaced at a time" do
    assert_equal 1, widest(settled_family(worker_processes: 10))
    @family.close
    assert_equal 2, widest(settled_family(worker_processes: 11))
  end

  test "the user's own width holds" do
    assert_equal 3, widest(settled_family(worker_processes: 8, refork_max_unavailable: 3))
  end

  test "a slot that is empty for another reason counts" do
    family = settled_family(worker_processes: 4)
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

    assert_equal [2], leaving(family).map(&:nr), "the trial took slot 3, which was the coldest"
  end

  test "nobody leaves while there is no mold to fork a successor, or a candidate is on trial" do
    family = settled_family
    rollout = Coppice::Monitor::Rollout.new(family.settings)
    mold = family.roster.mold
    family.roster.generation = 5 # so that everybody is outdated

    assert_equal 1, rollout.next(family.roster, 0).size
    family.roster.candidate = mold

    assert_empty rollout.next(family.roster, 0)
    family.roster.candidate = family.roster.mold = nil

    assert_empty rollout.next(family.roster, 0)
  end

  test "an outdated service worker is replaced" do
    family = settled_family(hooks: { before_service_worker_ready: -> {} })
    first = family.roster.service
    family.supervision.refork
    family.settle

    refute_same first, family.roster.service
    assert_equal [1, true], [family.roster.service.generation, family.roster.service.ready?]
  end
end
