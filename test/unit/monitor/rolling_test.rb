# frozen_string_literal: true

require_relative "../../support/family_rolls"
require_relative "../../support/family_test_case"

# What becomes of a roll: decisions of Rolling, and what ReleaseActions and Supervision make of them.
class RollingTest < FamilyTestCase
  include FamilyRolls

  test "a roll replaces all workers, and keeps the mold of the release before for a while" do
    family = rolled_family(rollback_window: 60)
    family.settle

    assert_equal [2], releases_of(family.roster.workers)
    assert_equal 1, family.roster.kept.release.number
    assert_equal 2, family.board.release_number

    family.system.advance(60)
    family.settle

    assert_nil family.roster.kept
    assert_predicate family.roster, :settled?
  end

  test "with a rollback_window of 0 no mold is kept" do
    family = rolled_family(rollback_window: 0)

    assert_nil family.roster.kept
  end

  test "a mold that is kept exits when memory is short" do
    family = rolled_family
    family.settle
    family.system.memory_left_kib = 1000
    family.system.advance(Coppice::Monitor::MemoryLook::PAUSE)
    family.settle

    assert_nil family.roster.kept
  end

  test "a rollback takes the mold that was kept, without a boot" do
    family = rolled_family
    family.settle
    kept = family.roster.kept
    roll_back(family)
    family.settle

    assert_same kept, family.roster.mold
    assert_equal [[1], 1], [releases_of(family.roster.workers), family.board.release_number]
    assert_equal "there is no release before release 1", assert_raises(Coppice::Error) { roll_back(family) }.message
  end

  test "a rollback that comes when the window ends still takes the mold" do
    family = rolled_family(rollback_window: 60)
    family.settle
    kept = family.roster.kept
    family.system.advance(60)
    roll_back(family)
    family.settle

    assert_same kept, family.roster.mold
  end

  test "a rollback boots the release before under its number when its mold is gone" do
    family = rolled_family(rollback_window: 0)
    family.settle
    roll_back(family)
    family.settle

    assert_equal ["/releases/1", 1], family.roster.release.to_h.values_at(:directory, :number)
    assert_equal [1], releases_of(family.roster.workers)
  end

  # The release before has reforked, so its mold is a worker's copy. Of the running one no worker starts any more.
  def family_to_roll_back(**settings)
    family = settled_family(refork_backoff: 0, **settings)
    family.supervision.refork
    family.settle
    roll(family, "/releases/2")
    2.times { family.settle }
    family.system.faults_of_workers[2] = :broken
    family.roster.ready_workers.each { |worker| family.system.signal(worker.pid, :KILL) }
    run_until(family) { family.system.advance(1) && family.roster.spawns.failures == 4 }
    family
  end

  test "a rollback takes a warm mold though no worker of the release before it starts" do
    family = family_to_roll_back
    kept = family.roster.kept
    roll_back(family)
    family.turn

    refute_predicate kept, :cold?
    assert_same kept, family.roster.mold
    assert_equal 0, family.roster.spawns.failures
    family.settle

    assert_equal [[1], 4], [releases_of(family.roster.workers), family.roster.ready_workers.size]
    assert_same kept, family.roster.mold
  end

  test "after a rollback workers make their first requests again" do
    family = family_to_roll_back
    run_until(family) { family.system.advance(1) && family.roster.workers.any? } # it fails after the rollback
    roll_back(family)
    family.settle

    assert_operator family.roster.succession.first_requests_from, :<=, family.roster.generation
  end

  test "a warm mold that was taken back and whose workers all fail is replaced by a cold one" do
    family = family_to_roll_back
    kept = family.roster.kept
    roll_back(family)
    family.system.faults_of_workers[1] = :broken
    run_until(family) { family.system.advance(1) && kept.gone? }
    family.system.faults_of_workers.clear
    2.times { family.settle }

    assert_predicate family.roster.mold, :cold?
    assert_equal [1], releases_of(family.roster.workers)
  end

  test "a kept mold that dies is not missed until a rollback needs it" do
    family = rolled_family
    family.settle
    kept = family.roster.kept
    roll_back(family)
    family.system.die(family.process_of(kept), FakeSystem::Status.new(nil, 9))
    family.settle

    assert_equal [1, [1]], [family.roster.release.number, releases_of(family.roster.workers)]
    refute_same kept, family.roster.mold
  end

  test "a release that was given up commits nothing, though its first worker is ready" do
    family = settled_family(roll_strategy: :lean)
    roll(family, "/releases/2")
    trial = run_until_trial_is_ready(family)
    roll_back(family)
    family.turn

    assert_predicate trial, :leaving?
    family.settle

    assert_equal [1, [1]], [family.roster.release.number, releases_of(family.roster.workers)]
    assert_equal 0, family.roster.held_back
  end

  test "a first worker that has served enough before the first look is judged by it, though it serves nobody after" do
    family = settled_family(canary: true, canary_requests: 20, canary_time: 600)
    roll(family, "/releases/2")
    trial = run_until_trial_is_ready(family)
    20.times { Coppice::Histogram.add(family.board.cells, trial.row.place_of(:application_us).first, 1000) }
    family.settle

    assert_equal :committed, family.roster.roll.outcome
  end

  test "a lean roll leaves the only worker that serves, while one beyond the others still starts" do
    family = settled_family(worker_processes: 1, roll_strategy: :lean)
    family.supervision.resize(+1)
    family.turn
    roll(family, "/releases/2")
    100.times do
      family.turn
      candidate = family.roster.candidate
      family.system.step(family.process_of(candidate)) if candidate
    end

    assert_predicate family.roster.candidate, :ready?
    assert_equal 1, family.roster.ready_workers.size
    family.settle

    assert_equal [2], releases_of(family.roster.workers)
  end

  test "a candidate of a release that was given up does not become that of the roll after it" do
    family = settled_family
    roll(family, "/releases/2")
    run_until_trial_is_ready(family)
    roll_back(family)
    roll(family, "/releases/3")
    family.settle

    assert_equal "/releases/3", family.roster.release.directory
    assert_equal :committed, family.roster.roll.outcome
  end

  { "hangs" => "it exited before it was ready: the log says why",
    "broken" => "it exited before it was ready: the log says why",
    "broken_workers" => "its first worker did not become ready", "no_gemfile" => "no Gemfile",
    "endless_check" => "too late" }.each do |fault, reason|
    test "a release that fails (#{fault}) is given up, and nothing is left of it" do
      family = settled_family(boot_timeout: 30)
      roll(family, "/releases/#{fault}")
      3.times do
        family.settle
        family.system.advance(31)
      end
      family.settle

      assert_equal [:given_up, reason], [family.roster.roll.outcome, family.roster.roll.reason]
      assert_equal [[1], 1], [releases_of(family.roster.workers), family.roster.handles.count(&:mold?)]
    end
  end

  test "a directory that vanished after its check is given up at once, and without a pause for others" do
    family = settled_family
    family.missing = ["/releases/2"]
    roll(family, "/releases/2")
    family.turn

    assert_match(%r{No such file.*/releases/2}, family.roster.roll.reason)
    roll(family, "/releases/3")
    family.settle

    assert_equal "/releases/3", family.roster.release.directory
  end

  test "a system without a process to give is asked again" do
    family = settled_family
    family.system.refusals = 1
    roll(family, "/releases/2")
    family.turn
    family.system.advance(1)
    family.settle

    assert_equal "/releases/2", family.roster.release.directory
  end

  test "a worker of the release before that becomes ready late is replaced as well" do
    family = settled_family
    family.supervision.refork
    run_until(family) { family.roster.candidate&.pid && family.process_of(family.roster.candidate).stage == :ready }
    family.system.signal(family.roster.ready_workers.first.pid, :KILL) # so that the trial gets its slot
    run_until(family) { family.roster.trial&.pid }
    late = family.process_of(family.roster.trial).tap { |process| process.hanging = true }
    family.system.signal(family.roster.candidate.pid, :KILL)
    family.settle
    roll(family, "/releases/2")
    family.settle
    late.hanging = false
    family.settle

    assert_equal [2, [2]], [family.roster.release.number, releases_of(family.roster.workers)]
    assert_predicate family.roster, :settled?
  end

  # Loses a worker of a lean roll, whose slot the running release cannot fill again.
  def lean_roll_with_empty_slot(family)
    yield
    family.system.signal(family.roster.ready_workers.find { |worker| worker.nr.zero? }.pid, :KILL)
    roll(family, "/releases/2")
    run_until(family) { family.system.advance(1) && family.roster.release.number == 2 }
    family.settle

    assert_equal [[2], 20], [releases_of(family.roster.workers), family.roster.ready_workers.size]
  end

  test "a lean roll does not wait for workers that fail to start" do
    family = settled_family(worker_processes: 20, roll_strategy: :lean)
    lean_roll_with_empty_slot(family) { family.system.faults_of_workers[1] = :broken }
  end

  test "a lean roll does not wait for workers that no mold can fork" do
    family = settled_family(worker_processes: 20, roll_strategy: :lean)
    lean_roll_with_empty_slot(family) do
      family.missing = ["/releases/1"]
      family.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
      family.system.signal(family.roster.mold.pid, :KILL)
    end
  end

  test "a second roll waits until the first has replaced all workers" do
    family = rolled_family
    roll(family, "/releases/3")
    most = 0
    run_until(family) do
      running = family.roster.handles.select { |handle| handle.release && !handle.leaving? }
      most = [most, releases_of(running).size].max
      family.roster.release.directory == "/releases/3"
    end

    assert_equal 2, most
  end

  test "a second roll does not wait for a release that cannot fork" do
    family = rolled_family
    note_failures(family.roster.spawns, 3)
    family.system.faults_of_workers[2] = :broken
    roll(family, "/releases/3")
    family.settle
    family.system.advance(30)
    family.settle

    assert_equal ["/releases/3", [3]], [family.roster.release.directory, releases_of(family.roster.workers)]
  end
end
