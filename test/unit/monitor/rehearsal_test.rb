# frozen_string_literal: true

require_relative "../../support/family_test_case"

# How a family starts that is warmed up first.
class RehearsalDecisionsTest < FamilyTestCase
  WARM = { worker_processes: 3, warm_up_requests: ["/"].freeze }.freeze

  # A family whose only worker is the one that is warmed up.
  def rehearsing_family(**settings)
    family_of(**WARM, **settings).tap do |family|
      family.roster.succession.gc_unmeasured = false
      run_until(family) { family.roster.rehearsal&.pid }
    end
  end

  def generations(family) = family.roster.ready_workers.map(&:generation)

  test "the first worker is promoted, and only its children serve" do
    family = rehearsing_family
    rehearsal = family.roster.rehearsal

    assert_equal [rehearsal], family.roster.workers
    family.settle

    assert_equal [1, 1, 1], generations(family)
    assert_predicate rehearsal, :gone?
    refute_predicate family.roster.mold, :cold?
  end

  test "a warmed-up worker that may not be forked is retired, and the cold mold's workers serve" do
    family = rehearsing_family
    rehearsal = family.roster.rehearsal
    family.process_of(rehearsal).row.not_fork_safe = 1
    family.settle

    assert_predicate rehearsal, :gone?
    assert_equal [0, 0, 0], generations(family)
    assert_predicate family.roster.mold, :cold?
  end

  test "the wait for it is that for a boot" do
    family = rehearsing_family(spawn_timeout: 1, boot_timeout: 100)
    rehearsal = family.roster.rehearsal
    family.system.advance(50)
    family.turn

    refute_predicate rehearsal, :leaving?
  end

  test "one that is lost is no loss: the cold mold's workers serve, and nobody gives up" do
    family = rehearsing_family(max_consecutive_spawn_errors: 1)
    family.system.signal(family.roster.rehearsal.pid, :KILL)
    family.settle

    assert_equal [0, 0, 0], generations(family)
    assert_nil family.roster.give_up_reason
  end

  test "one that hangs is ended, and the cold mold's workers serve" do
    family = rehearsing_family(boot_timeout: 100)
    family.process_of(family.roster.rehearsal).hanging = true
    family.system.advance(101)
    3.times do
      family.settle
      family.system.advance(2)
    end
    family.settle

    assert_equal [0, 0, 0], generations(family)
  end

  test "one that must not be forked is no mold: the cold one's workers serve" do
    family = rehearsing_family
    family.system.middle = :lost # a worker that is not fork safe closes the channel
    family.settle

    assert_equal [0, 0, 0], generations(family)
  end

  test "a mold that is lost meanwhile is booted again, and who serves is warm" do
    family = rehearsing_family
    family.system.signal(family.roster.mold.pid, :KILL)
    family.settle

    assert_equal [1, 1, 1], generations(family)
    refute_predicate family.roster.mold, :cold?
  end

  test "more workers that are wanted meanwhile come with the others" do
    family = rehearsing_family
    2.times { family.supervision.resize(+1) }
    family.settle

    assert_equal [0, 1, 2, 3, 4], family.roster.ready_workers.map(&:nr).sort
    assert_equal [1], generations(family).uniq
  end

  # The family's processes hang in what they ask themselves for, and are ended for it.
  def let_first_requests_hang(family)
    family.system.hanging_first_request = true
    yield
    2.times do
      family.settle
      family.system.advance(family.settings.spawn_timeout + 1)
    end
    family.settle
  end

  test "a worker that hangs in what it asks itself for is replaced by one that does not ask" do
    family = settled_family
    let_first_requests_hang(family) { family.system.signal(family.roster.ready_workers.first.pid, :KILL) }

    assert_equal 4, family.roster.ready_workers.size
  end

  test "the next generation asks itself again, and is not given up if it hangs again" do
    family = settled_family(refork_backoff: 1)
    2.times do |generation|
      let_first_requests_hang(family) { family.supervision.refork }

      assert_equal generation + 1, family.roster.generation
      assert_equal generation + 2, family.roster.succession.first_requests_from
    end
  end

  test "a stop that comes meanwhile ends everybody" do
    family = rehearsing_family
    family.supervision.stop(:gracefully)
    family.settle

    assert_predicate family.supervision, :finished?
  end

  test "what was measured for the first time calls for another cold mold, once, where the user waits for it" do
    family = family_of(**WARM, gc_profile_wait: true)
    boots = []
    run_until(family) do
      boots |= [family.roster.mold, family.roster.candidate].compact.select(&:cold?)
      family.roster.generation.positive? && family.roster.settled?
    end

    assert_equal 2, boots.size
    assert_equal [1, 1, 1], generations(family)
    refute family.roster.succession.gc_unmeasured
  end

  test "beside workers that serve a measurement calls for nothing" do
    family = settled_family(**WARM)
    family.roster.succession.gc_unmeasured = true
    family.roster.succession.rehearsal_due = true
    last = family.roster.generation
    run_until(family) { family.roster.generation == last + 1 && family.roster.settled? }

    assert family.roster.succession.gc_unmeasured
    refute_predicate family.roster.mold, :cold?
  end

  test "otherwise it is kept for the next boot" do
    family = family_of(**WARM)
    boots = []
    run_until(family) do
      boots |= [family.roster.mold, family.roster.candidate].compact.select(&:cold?)
      family.roster.generation.positive? && family.roster.settled?
    end

    assert_equal 1, boots.size
    assert_equal [true], family.kept.map(&:rehearsing?)
  end

  test "without a measurement there is nothing to boot again for" do
    family = family_of(**WARM, gc_profile_wait: true)
    boots = []
    run_until(family) do
      family.roster.workers.each { |worker| worker.row.allocations = "" }
      boots |= [family.roster.mold, family.roster.candidate].compact.select(&:cold?)
      family.roster.generation.positive? && family.roster.settled?
    end

    assert_equal 1, boots.size
  end

  test "beside workers that serve, it stays until it is promoted, and they until then" do
    family = settled_family(**WARM)
    workers = family.roster.ready_workers
    family.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    family.system.signal(family.roster.mold.pid, :KILL)
    run_until(family) { family.roster.candidate && !family.roster.candidate.cold? }

    assert_predicate family.roster.rehearsal, :ready?
    assert_equal workers, family.roster.ready_workers - [family.roster.rehearsal]
  end
end
