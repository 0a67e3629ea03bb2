# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"

# What becomes of a roll: decisions of ReleaseSwitch, and what ReleaseActions and Supervision make of them.
class ReleaseSwitchTest < SupervisionTestCase
  include FakeServerRolls

  test "a roll replaces all workers, and keeps the mold of the release before for a while" do
    server = rolled_server(rollback_window: 60)
    server.settle

    assert_equal [2], releases_of(server.roster.workers)
    assert_equal 1, server.roster.kept.release.number
    assert_equal 2, server.board.release_number

    server.system.advance(60)
    server.settle

    assert_nil server.roster.kept
    assert_predicate server.roster, :settled?
  end

  test "with a rollback_window of 0 no mold is kept" do
    server = rolled_server(rollback_window: 0)

    assert_nil server.roster.kept
  end

  test "a mold that is kept exits when memory is short" do
    server = rolled_server
    server.settle
    server.system.memory_left_kib = 1000
    server.system.advance(Coppice::Monitor::MemoryLook::PAUSE)
    server.settle

    assert_nil server.roster.kept
  end

  test "a rollback takes the mold that was kept, without a boot" do
    server = rolled_server
    server.settle
    kept = server.roster.kept
    roll_back(server)
    server.settle

    assert_same kept, server.roster.mold
    assert_equal [[1], 1], [releases_of(server.roster.workers), server.board.release_number]
    assert_equal "there is no release before release 1", assert_raises(Coppice::Error) { roll_back(server) }.message
  end

  test "a rollback that comes when the window ends still takes the mold" do
    server = rolled_server(rollback_window: 60)
    server.settle
    kept = server.roster.kept
    server.system.advance(60)
    roll_back(server)
    server.settle

    assert_same kept, server.roster.mold
  end

  test "a rollback boots the release before under its number when its mold is gone" do
    server = rolled_server(rollback_window: 0)
    server.settle
    roll_back(server)
    server.settle

    assert_equal ["/releases/1", 1], server.roster.release.to_h.values_at(:directory, :number)
    assert_equal [1], releases_of(server.roster.workers)
  end

  # The release before has reforked, so its mold is a worker's copy. Of the running one no worker starts any more.
  def server_to_roll_back(**settings)
    server = settled_server(refork_backoff: 0, **settings)
    server.operations.refork
    server.settle
    roll(server, "/releases/2")
    2.times { server.settle }
    server.system.faults_of_workers[2] = :broken
    server.roster.ready_workers.each { |worker| server.system.signal(worker.pid, :KILL) }
    run_until(server) { server.system.advance(1) && server.roster.spawns.failures == 4 }
    server
  end

  test "a rollback takes a warm mold though no worker of the release before it starts" do
    server = server_to_roll_back
    kept = server.roster.kept
    roll_back(server)
    server.turn

    refute_predicate kept, :cold?
    assert_same kept, server.roster.mold
    assert_equal 0, server.roster.spawns.failures
    server.settle

    assert_equal [[1], 4], [releases_of(server.roster.workers), server.roster.ready_workers.size]
    assert_same kept, server.roster.mold
  end

  test "after a rollback workers make their first requests again" do
    server = server_to_roll_back
    run_until(server) { server.system.advance(1) && server.roster.workers.any? } # it fails after the rollback
    roll_back(server)
    server.settle

    assert_operator server.roster.succession.first_requests_from, :<=, server.roster.generation
  end

  test "a warm mold that was taken back and whose workers all fail is replaced by a cold one" do
    server = server_to_roll_back
    kept = server.roster.kept
    roll_back(server)
    server.system.faults_of_workers[1] = :broken
    run_until(server) { server.system.advance(1) && kept.gone? }
    server.system.faults_of_workers.clear
    2.times { server.settle }

    assert_predicate server.roster.mold, :cold?
    assert_equal [1], releases_of(server.roster.workers)
  end

  test "a kept mold that dies is not missed until a rollback needs it" do
    server = rolled_server
    server.settle
    kept = server.roster.kept
    roll_back(server)
    server.system.die(server.process_of(kept), FakeSystem::Status.new(nil, 9))
    server.settle

    assert_equal [1, [1]], [server.roster.release.number, releases_of(server.roster.workers)]
    refute_same kept, server.roster.mold
  end

  test "a release that was given up commits nothing, though its first worker is ready" do
    server = settled_server(roll_strategy: :lean)
    roll(server, "/releases/2")
    trial = run_until_trial_is_ready(server)
    roll_back(server)
    server.turn

    assert_predicate trial, :leaving?
    server.settle

    assert_equal [1, [1]], [server.roster.release.number, releases_of(server.roster.workers)]
    assert_equal 0, server.roster.held_back
  end

  test "a first worker that has served enough before the first look is judged by it, though it serves nobody after" do
    server = settled_server(canary: true, canary_requests: 20, canary_time: 600)
    roll(server, "/releases/2")
    trial = run_until_trial_is_ready(server)
    20.times { Coppice::Histogram.add(server.board.cells, trial.row.place_of(:application_us).first, 1000) }
    server.settle

    assert_equal :committed, server.roster.roll.outcome
  end

  test "a lean roll leaves the only worker that serves, while one beyond the others still starts" do
    server = settled_server(worker_processes: 1, roll_strategy: :lean)
    server.operations.resize(+1)
    server.turn
    roll(server, "/releases/2")
    100.times do
      server.turn
      candidate = server.roster.candidate
      server.system.step(server.process_of(candidate)) if candidate
    end

    assert_predicate server.roster.candidate, :ready?
    assert_equal 1, server.roster.ready_workers.size
    server.settle

    assert_equal [2], releases_of(server.roster.workers)
  end

  test "a candidate of a release that was given up does not become that of the roll after it" do
    server = settled_server
    roll(server, "/releases/2")
    run_until_trial_is_ready(server)
    roll_back(server)
    roll(server, "/releases/3")
    server.settle

    assert_equal "/releases/3", server.roster.release.directory
    assert_equal :committed, server.roster.roll.outcome
  end

  { "hangs" => "it exited before it was ready: killed (spawn_timeout), as the log says",
    "broken" => "it exited before it was ready: status 1, the log says why",
    "broken_workers" => "its first worker did not become ready: status 1, the log says why",
    "no_gemfile" => "no Gemfile",
    "endless_check" => "too late" }.each do |fault, reason|
    test "a release that fails (#{fault}) is given up, and nothing is left of it" do
      server = settled_server(boot_timeout: 30)
      roll(server, "/releases/#{fault}")
      3.times do
        server.settle
        server.system.advance(31)
      end
      server.settle

      assert_equal [:given_up, reason], [server.roster.roll.outcome, server.roster.roll.reason]
      assert_equal [[1], 1], [releases_of(server.roster.workers), server.roster.handles.count(&:mold?)]
    end
  end

  test "a directory that vanished after its check is given up at once, and without a pause for others" do
    server = settled_server
    server.missing = ["/releases/2"]
    roll(server, "/releases/2")
    server.turn

    assert_match(%r{No such file.*/releases/2}, server.roster.roll.reason)
    roll(server, "/releases/3")
    server.settle

    assert_equal "/releases/3", server.roster.release.directory
  end

  test "a system without a process to give is asked again" do
    server = settled_server
    server.system.refusals = 1
    roll(server, "/releases/2")
    server.turn
    server.system.advance(1)
    server.settle

    assert_equal "/releases/2", server.roster.release.directory
  end

  test "a worker of the release before that becomes ready late is replaced as well" do
    server = settled_server
    server.operations.refork
    run_until(server) { server.roster.candidate&.pid && server.process_of(server.roster.candidate).stage == :ready }
    server.system.signal(server.roster.ready_workers.first.pid, :KILL) # so that the trial gets its slot
    run_until(server) { server.roster.trial&.pid }
    late = server.process_of(server.roster.trial).tap { |process| process.hanging = true }
    server.system.signal(server.roster.candidate.pid, :KILL)
    server.settle
    roll(server, "/releases/2")
    server.settle
    late.hanging = false
    server.settle

    assert_equal [2, [2]], [server.roster.release.number, releases_of(server.roster.workers)]
    assert_predicate server.roster, :settled?
  end

  # Loses a worker of a lean roll, whose slot the running release cannot fill again.
  def lean_roll_with_empty_slot(server)
    yield
    server.system.signal(server.roster.ready_workers.find { |worker| worker.nr.zero? }.pid, :KILL)
    roll(server, "/releases/2")
    run_until(server) { server.system.advance(1) && server.roster.release.number == 2 }
    server.settle

    assert_equal [[2], 20], [releases_of(server.roster.workers), server.roster.ready_workers.size]
  end

  test "a lean roll does not wait for workers that fail to start" do
    server = settled_server(worker_processes: 20, roll_strategy: :lean)
    lean_roll_with_empty_slot(server) { server.system.faults_of_workers[1] = :broken }
  end

  test "a lean roll does not wait for workers that no mold can fork" do
    server = settled_server(worker_processes: 20, roll_strategy: :lean)
    lean_roll_with_empty_slot(server) do
      server.missing = ["/releases/1"]
      server.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
      server.system.signal(server.roster.mold.pid, :KILL)
    end
  end

  test "a second roll waits until the first has replaced all workers" do
    server = rolled_server
    roll(server, "/releases/3")
    most = 0
    run_until(server) do
      running = server.roster.handles.select { |handle| handle.release && !handle.leaving? }
      most = [most, releases_of(running).size].max
      server.roster.release.directory == "/releases/3"
    end

    assert_equal 2, most
  end

  test "a second roll does not wait for a release that cannot fork" do
    server = rolled_server
    note_failures(server.roster.spawns, 3)
    server.system.faults_of_workers[2] = :broken
    roll(server, "/releases/3")
    server.settle
    server.system.advance(30)
    server.settle

    assert_equal ["/releases/3", [3]], [server.roster.release.directory, releases_of(server.roster.workers)]
  end
end
