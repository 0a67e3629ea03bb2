# frozen_string_literal: true

require_relative "../../support/family_test_case"

class PromotionTest < FamilyTestCase
  test "a start boots one cold mold and fills every slot from it" do
    family = settled_family(worker_processes: 3, **WITHOUT_LOBBY)

    assert_equal [0, 1, 2], family.roster.ready_workers.map(&:nr).sort
    assert_predicate family.roster.mold, :cold?
    assert_equal 4, family.system.processes.size
  end

  test "the worker that served most is promoted and its generation replaces the old one" do
    family = settled_family(refork_after: [50])
    first_mold = family.roster.mold
    warmest = family.roster.ready_workers[2]
    family.roster.ready_workers.each { |worker| worker.row.requests = worker.equal?(warmest) ? 50 : 10 }
    family.turn

    assert_same warmest, family.roster.candidate.parent
    family.settle

    assert_equal 1, family.roster.generation
    assert_predicate first_mold, :gone?
    assert_equal [1], family.roster.ready_workers.map(&:generation).uniq
    assert_equal 4, family.roster.ready_workers.size
  end

  test "a worker that is not fork safe is never promoted" do
    family = settled_family
    unsafe, *others = family.roster.ready_workers
    family.roster.ready_workers.each { |worker| worker.row.requests = 10 }
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    family.supervision.refork
    family.turn

    assert_includes others, family.roster.candidate.parent
  end

  test "a worker that served nobody is not promoted where others served, and the wish waits" do
    family = settled_family
    unsafe, *others = family.roster.ready_workers
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    family.supervision.refork
    family.settle

    assert_equal 0, family.roster.generation
    others.first.row.requests = 1
    family.settle

    assert_equal 1, family.roster.generation
  end

  test "requests of a worker that may not be promoted do not count for refork_after" do
    family = settled_family(refork_after: [50])
    unsafe, *others = family.roster.ready_workers
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    others.each { |worker| worker.row.requests = 49 }
    family.settle

    assert_equal 0, family.roster.generation
    others.last.row.requests = 50
    family.turn

    assert_same others.last, family.roster.candidate.parent
  end

  test "a list of limits that ends with false ends reforking" do
    family = family_of(refork_after: [10, false])
    2.times do
      family.settle
      family.roster.ready_workers.each { |worker| worker.row.requests = 1_000_000 }
    end
    family.settle

    assert_equal 1, family.roster.generation
  end

  test "a candidate that ends before it is ready leaves the old mold in charge and starts the back-off" do
    family = settled_family(refork_backoff: 10)
    mold = family.roster.mold
    family.supervision.refork
    family.turn
    family.system.step(family.process_of(family.roster.candidate.parent))
    family.turn
    family.process_of(family.roster.candidate).broken = true
    family.settle

    assert_same mold, family.roster.mold
    assert_nil family.roster.candidate
    assert_equal family.system.now + 10, family.roster.reforks.not_before
    assert_equal 4, family.roster.ready_workers.size
  end

  test "each candidate has a trial of its own" do
    family = settled_family
    family.supervision.refork
    family.settle
    family.supervision.refork
    run_until(family) { family.roster.candidate&.ready? && family.roster.trial }

    assert_equal 1, family.roster.generation
    assert_predicate family.roster.trial, :starting?
  end

  test "a wish for a refork outlives the replacement of a lost mold" do
    family = settled_family
    family.system.signal(family.roster.mold.pid, :KILL)
    family.supervision.refork
    2.times { family.settle } # first the mold, then the wish

    assert_equal 1, family.roster.generation
  end

  test "a candidate whose first worker never gets ready is abandoned" do
    family = settled_family
    mold = family.roster.mold
    family.supervision.refork
    run_until(family) { family.roster.trial&.pid }
    family.process_of(family.roster.trial).broken = true
    family.settle

    assert_same mold, family.roster.mold
    assert_equal 0, family.roster.generation
    family.system.advance(1) # past the pause after a child that never got ready
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end

  # Everything that this mold forks ends before it is ready, until the block is content.
  def lose_all_children_until(family)
    run_until(family) do
      family.system.processes.each_value do |process|
        process.broken = true if process.stage == :forked && process.role == :worker
      end
      family.system.advance(1)
      yield
    end
  end

  test "a worker whose copy was no good is not promoted again before the others" do
    family = settled_family(refork_backoff: 0)
    spoilt, *others = family.roster.ready_workers
    spoilt.row.requests = 1000
    tried = []
    family.supervision.refork
    lose_all_children_until(family) { (tried |= [family.roster.candidate&.parent].compact).size == 4 }

    assert_equal [spoilt, *others], tried
  end

  test "a worker whose copy took a lost mold's place is still the warmest" do
    family = settled_family
    warmest = family.roster.ready_workers[2]
    warmest.row.requests = 1000
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle
    family.supervision.refork
    family.turn

    assert_same warmest, family.roster.candidate.parent
  end

  test "trials that fail of themselves cost nobody a slot, nor end the server" do
    family = settled_family(refork_backoff: 0, max_consecutive_spawn_errors: 5)
    everybody = [family.roster.mold, *family.roster.ready_workers]
    candidates = []
    family.supervision.refork
    lose_all_children_until(family) { (candidates |= [family.roster.candidate].compact).size == 10 }

    assert_equal everybody, [family.roster.mold, *family.roster.ready_workers]
    assert_nil family.roster.give_up_reason
  end

  test "trials that are killed may be one too many for the machine: the next one takes another's place" do
    family = settled_family(refork_backoff: 0)
    family.supervision.refork
    most = Coppice::Monitor::RolloutBudget::FAILED_FORKS
    killed = []
    run_until(family) do
      trial = family.roster.trial&.pid
      family.system.signal(trial, :KILL) if trial && killed.size < most && (killed |= [trial])
      family.roster.generation == 1
    end

    assert_equal most, killed.size
    assert_operator family.roster.ready_workers.map(&:nr).max, :<, 4
  end

  test "a mold that took a lost one's place, and whose workers all fail, is replaced by a cold one" do
    family = settled_family
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle
    barren = family.roster.mold
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(family) { family.roster.mold.nil? }
    family.system.advance(60)
    family.settle

    assert_predicate barren, :gone?
    assert_predicate family.roster.mold, :cold?
    assert_equal 4, family.roster.ready_workers.size
  end

  test "failures before a mold took a lost one's place are not its own" do
    family = settled_family
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(family) { family.roster.spawns.failures == 3 }
    lost = family.roster.mold
    family.system.signal(lost.pid, :KILL)
    run_until(family) { lost.gone? && family.roster.mold }
    successor = family.roster.mold
    family.system.advance(10)
    family.settle

    assert_same successor, family.roster.mold
    assert_equal 4, family.roster.ready_workers.size
  end

  test "warm molds that are lost whenever they fork are replaced by a cold one" do
    family = settled_family(refork_backoff: 0)
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    family.after_turn do
      mold = family.roster.workers.find(&:requested?)&.parent
      family.system.signal(mold.pid, :KILL) if mold && !mold.cold?
      family.system.advance(1)
    end
    run_until(family) { family.roster.mold&.cold? }
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end

  test "a mold that has proven itself stays, whatever happens to its workers afterwards" do
    family = settled_family
    family.supervision.refork
    family.settle
    mold = family.roster.mold
    family.system.signal(family.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(family) { family.roster.spawns.failures == 10 }

    assert_same mold, family.roster.mold
  end

  test "an application that cannot be booted at the start ends the server" do
    family = family_of
    family.turn
    family.process_of(family.roster.candidate).broken = true
    family.settle

    assert_equal "the application could not be booted", family.roster.give_up_reason
    assert_predicate family.supervision, :finished?
  end
end
