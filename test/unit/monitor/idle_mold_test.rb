# frozen_string_literal: true

require_relative "../../support/family_test_case"

# A server with `keep_mold false`: when its mold exits, and when there is one again.
class IdleMoldTest < FamilyTestCase
  IDLE = Coppice::Monitor::IdleMold::IDLE

  # One that has had nothing to fork for a while.
  def family_without_mold(**settings)
    settled_family(keep_mold: false, **settings).tap do |family|
      pass_idle_time(family)

      assert_nil family.roster.mold
    end
  end

  def pass_idle_time(family)
    family.turn
    family.system.advance(IDLE)
    family.settle
  end

  def kill(family, worker) = family.system.signal(worker.pid, :KILL)

  def generations(family) = family.roster.ready_workers.map(&:generation)

  test "a mold that is kept stays" do
    family = settled_family
    mold = family.roster.mold
    pass_idle_time(family)

    assert_same mold, family.roster.mold
  end

  test "a mold that is not kept stays for a while after the last fork" do
    family = settled_family(keep_mold: false)
    family.turn
    family.system.advance(IDLE / 2)
    kill(family, family.roster.ready_workers.first)
    family.settle
    family.system.advance(IDLE / 2)
    family.settle

    assert_predicate family.roster.mold, :ready?
    family.system.advance(IDLE)
    family.settle

    assert_nil family.roster.mold
  end

  test "a lost worker is replaced from a temporary copy of the warmest one, of the same generation" do
    family = family_without_mold
    others = family.roster.ready_workers.drop(1)
    kill(family, family.roster.ready_workers.first)
    family.settle

    assert_predicate family.roster.mold, :temporary?
    assert_equal others, family.roster.ready_workers & others
    assert_equal [0, 0, 0, 0], generations(family)
    pass_idle_time(family)

    assert_nil family.roster.mold
  end

  test "a worker over its limit begins a new generation" do
    family = family_without_mold(worker_max_requests: 8)
    family.roster.ready_workers.first.row.requests = 8
    family.turn # it is seen to be over its limit
    family.settle

    assert_equal [1, 1, 1, 1], generations(family)
    refute_predicate family.roster.mold, :temporary?
  end

  test "a refork needs no mold" do
    family = family_without_mold
    family.supervision.refork
    family.settle

    assert_equal [1, 1, 1, 1], generations(family)
    pass_idle_time(family)

    assert_nil family.roster.mold
  end

  test "a refork that pays is seen without a mold, whose own figures are remembered" do
    family = family_without_mold(worker_processes: 2, refork_after: :auto)
    family.roster.ready_workers.each do |worker|
      worker.row.measured_requests = 500
      worker.row.private_kib = 100_000
      worker.row.cpu_ms = 5_000
    end
    usage = Coppice::Monitor::ReforkCondition::GenerationUsage.of(family.roster)

    assert_equal [true, 300_000], [usage.cold, usage.total]
    family.settle

    assert_equal 1, family.roster.generation
  end

  test "a service that has exited is forked from a temporary mold" do
    family = family_without_mold(services: { "jobs" => {} })
    kill(family, family.roster.service("jobs"))
    family.settle
    family.system.advance(2)
    family.settle

    assert_predicate family.roster.service("jobs"), :ready?
    assert_predicate family.roster.mold, :temporary?
  end

  test "reforks whose mold is killed again and again pause" do
    family = family_without_mold(refork_backoff: 10, refork_after: [5, 1000])
    family.roster.ready_workers.each { |worker| worker.row.requests = 5 }
    asked = []
    run_until(family) do
      candidate = family.roster.candidate
      asked |= [candidate].compact
      family.system.signal(candidate.pid, :KILL) if candidate&.pid
      family.roster.reforks.not_before > family.system.now
    end

    assert_equal Coppice::Monitor::Promotion::KILLED_IN_A_ROW + 1, asked.size
    assert_equal 4, family.roster.ready_workers.size
  end

  test "a mold that is told to exit is not waited for" do
    family = settled_family(keep_mold: false)
    family.process_of(family.roster.mold).hanging = true
    pass_idle_time(family)
    kill(family, family.roster.ready_workers.first)
    family.settle

    assert_equal 4, family.roster.ready_workers.size
  end
end
