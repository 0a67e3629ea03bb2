# frozen_string_literal: true

require_relative "../../support/family_test_case"

# What takes the place of a lost mold.
class MoldReplacementTest < FamilyTestCase
  test "a lost mold is replaced from the warmest worker, and nobody else is touched" do
    family = settled_family
    workers = family.roster.ready_workers
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle

    assert_equal workers, family.roster.ready_workers
    refute_predicate family.roster.mold, :cold?
    assert_equal 0, family.roster.generation
  end

  test "a lost mold is replaced by a cold boot where no worker may be forked" do
    family = settled_family
    family.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle

    assert_predicate family.roster.mold, :cold?
    assert_nil family.roster.give_up_reason
  end

  test "after a replacement that failed the next one is a cold boot, and not before the back-off" do
    family = settled_family(refork_backoff: 10)
    family.system.signal(family.roster.mold.pid, :KILL)
    run_until(family) { family.roster.candidate&.pid }
    family.process_of(family.roster.candidate).broken = true
    family.settle

    assert_nil family.roster.candidate
    family.system.advance(9)
    family.turn

    assert_nil family.roster.candidate
    family.system.advance(2)
    family.turn

    assert_predicate family.roster.candidate, :cold?
  end

  # Loses the mold of a release that cannot be booted again, and the first copy of a worker in its place.
  def lose_mold_and_directory(family)
    family.missing = ["/releases/1"]
    family.system.signal(family.roster.mold.pid, :KILL)
    run_until(family) { family.roster.candidate&.pid }
    family.process_of(family.roster.candidate).broken = true
    family.settle
  end

  test "where the directory of the release is gone, a worker is promoted after a cold boot that failed" do
    family = settled_family(refork_backoff: 10)
    lose_mold_and_directory(family)
    family.system.advance(11)
    family.turn

    assert_equal [2, family.system.now + 10],
                 [family.roster.replacements.failures, family.roster.replacements.not_before]
    family.system.advance(11)
    family.settle

    assert_predicate family.roster.mold, :ready?
    refute_predicate family.roster.mold, :cold?
  end

  test "a rehearsal that is due ends with the cold boot that failed" do
    family = settled_family
    family.missing = ["/releases/1"]
    family.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    family.system.signal(family.roster.mold.pid, :KILL)
    family.roster.succession.rehearsal_due = true
    family.turn

    refute_predicate family.roster, :rehearsing?
  end

  test "a cold boot beside a mold that serves fails without a pause for what replaces a lost one" do
    family = settled_family(refork_backoff: 10, cold_boot_after_growth: "10%")
    family.missing = ["/releases/1"]
    family.system.mold_growth_kib = 50_000
    5.times do
      family.supervision.refork
      family.settle
    end

    assert_equal [0, family.system.now + 10],
                 [family.roster.replacements.failures, family.roster.reforks.not_before]
  end

  test "a lost mold is replaced at once, also in the back-off after a refork that failed" do
    family = settled_family
    family.roster.reforks.wait_until(family.system.now + 1000)
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle

    assert_predicate family.roster.mold, :ready?
  end

  # Loses the mold, and then the worker that is to replace it, before it has forked.
  def lose_mold_and_successor(family)
    family.system.signal(family.roster.mold.pid, :KILL)
    run_until(family) { family.roster.candidate }
    family.system.signal(family.roster.candidate.parent.pid, :KILL)
  end

  test "when the worker that is to replace a lost mold dies, the next warm worker is asked at once" do
    family = settled_family(refork_backoff: 1000)
    lose_mold_and_successor(family)
    family.settle

    assert_predicate family.roster.mold, :ready?
    refute_predicate family.roster.mold, :cold?
    assert_equal [0, 1, 2, 3], family.roster.ready_workers.map(&:nr).sort
  end

  test "replacements that are killed one after the other are not asked for without end" do
    family = settled_family(refork_backoff: 10, worker_processes: 8)
    family.system.signal(family.roster.mold.pid, :KILL)
    asked = []
    run_until(family) do
      candidate = family.roster.candidate
      asked |= [candidate].compact
      family.system.signal(candidate.pid, :KILL) if candidate&.pid
      family.roster.replacements.not_before > family.system.now
    end

    assert_equal Coppice::Monitor::Promotion::KILLED_IN_A_ROW + 1, asked.size
  end
end
