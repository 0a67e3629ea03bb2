# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"

# What a release brings with its configuration, and how many workers there are during a lean roll.
class ReleaseSettingsTest < SupervisionTestCase
  include FakeServerRolls

  test "a service that survives reforks does not survive its release" do
    server = rolled_server(services: { "jobs" => { survives_reforks: true } }, releases: {
      "/releases/2" => { services: { "mail" => { survives_reforks: true } } }
    })
    server.settle

    assert_equal [["mail", 2]], server.roster.services.map { |handle| [handle.service.name, handle.release.number] }
  end

  test "what follows a commit in the same turn is decided by the new release's settings" do
    server = settled_server(refork_surge: 0, services: { "jobs" => {} }, releases: {
      "/releases/2" => { services: {} }
    })
    roll(server, "/releases/2")
    run_until(server) { server.roster.trial }
    server.system.die(server.process_of(server.roster.service("jobs")), FakeSystem::Status.new(1, nil))
    server.turn
    server.system.advance(1)
    run_until_trial_is_ready(server)
    server.turn

    assert_equal 2, server.roster.release.number
    assert_empty server.roster.services
  end

  test "a lean roll has one worker less while it boots" do
    server = settled_server(roll_strategy: :lean)
    roll(server, "/releases/2")
    run_until(server) { server.roster.candidate }

    assert_equal [3, 3], [server.roster.ready_workers.size, server.board.workers_count]
    server.settle

    assert_equal [4, 4], [server.roster.ready_workers.size, server.board.workers_count]
  end

  test "every queue has a worker while a lean roll has one worker less" do
    server = server_of(worker_processes: 2, roll_strategy: :lean)
    server.define_singleton_method(:listeners_for) do |nr, workers:|
      workers == 1 ? [$stdin, $stdout] : [[$stdin, $stdout].fetch(nr % 2)]
    end
    server.settle
    roll(server, "/releases/hangs")
    server.settle

    assert_equal 1, server.roster.held_back
    assert_equal [$stdin, $stdout].map(&:fileno), server.roster.ready_workers.flat_map(&:listeners).uniq.sort
  end

  test "the number of workers that is asked for during a lean roll holds afterwards" do
    server = settled_server(roll_strategy: :lean)
    roll(server, "/releases/2")
    run_until(server) { server.roster.candidate }
    server.operations.resize_to(6)

    assert_equal 5, server.roster.target
    server.operations.resize(-1)
    server.settle

    assert_equal 5, server.roster.ready_workers.size
  end

  test "a release with one worker gets one, though a slot was held back" do
    server = settled_server(roll_strategy: :lean, releases: { "/releases/2" => { worker_processes: 1 } })
    roll(server, "/releases/2")
    server.settle

    assert_equal 1, server.roster.ready_workers.size
  end

  test "a child of the new release has the time that its own configuration gives it" do
    server = settled_server(spawn_timeout: 5, releases: { "/releases/2" => { spawn_timeout: 50 } })
    roll(server, "/releases/2")
    run_until(server) { server.roster.trial }

    assert_in_delta 150, server.roster.trial.deadline - server.system.now # the mold's first fork
    server.system.step(server.process_of(server.roster.candidate))
    server.turn

    assert_in_delta 50, server.roster.trial.deadline - server.system.now
  end

  test "the first worker of a release that is warmed up is rehearsed, though the one before had no warm-up" do
    server = settled_server(releases: { "/releases/2" => { warm_up_requests: ["/"] } })
    roll(server, "/releases/2")
    run_until(server) { server.roster.rehearsal }

    assert_equal [2, 2], [server.roster.release.number, server.roster.rehearsal.release.number]
  end

  test "the first worker of a release that warms up does so before its clients, for as long as a boot" do
    server = settled_server(spawn_timeout: 10, releases: {
      "/releases/2" => { warm_up_requests: ["/"], boot_timeout: 70 }, "/releases/3" => { boot_timeout: 70 }
    })

    assert_equal [true, 70], warm_up_of_trial(server, "/releases/2")
    server.settle

    assert_equal [false, 10], warm_up_of_trial(server, "/releases/3")
  end

  test "a trial is compared with the first requests of the release before, unless only one of both is warmed up" do
    server = settled_server(releases: { "/releases/2" => { warm_up_requests: ["/"] } })
    canary = Coppice::Monitor::Canary
    times = ->(warmed) { canary::FirstRequests.new(canary::Counts::NONE, warmed: warmed) }
    server.roster.note_first_requests(times.call(false))
    cold = server.roster.workers.first
    roll(server, "/releases/2")
    run_until(server) { server.roster.trial }
    warmed = server.roster.trial

    assert_equal([false, nil], [cold, warmed].map { |one| server.roster.first_requests_beside(one)&.warmed? })
    server.settle
    server.roster.note_first_requests(times.call(true))

    assert_equal([nil, true], [cold, warmed].map { |one| server.roster.first_requests_beside(one)&.warmed? })
  end

  test "a trial that ends in its warm-up is followed by one without, and takes no first request from others" do
    server = settled_server(releases: { "/releases/2" => { warm_up_requests: ["/"] } })
    generation = server.roster.generation
    roll(server, "/releases/2")
    run_until(server) { server.roster.trial }
    warmed = server.roster.trial
    server.system.step(server.process_of(server.roster.candidate))
    server.turn
    server.system.die(server.process_of(warmed), FakeSystem::Status.new(0, nil))
    run_until(server) { !server.roster.trial.equal?(warmed) }

    assert_equal [true, false], [warmed, server.roster.trial].map(&:warms_up?)
    assert_operator server.roster.succession.first_requests_from, :<=, generation
    server.settle

    assert_equal 2, server.roster.release.number
  end

  test "a first worker whose hook fails is not tried without its warm-up" do
    server = settled_server(releases: { "/releases/2" => { warm_up_requests: ["/"] } })
    roll(server, "/releases/2")
    run_until(server) { server.roster.trial }
    trial = server.roster.trial
    server.system.step(server.process_of(server.roster.candidate))
    server.turn
    trial.failure = Coppice::Control::Messages::Failed.new(error: "RuntimeError in after_worker_fork", message: "no")
    server.system.die(server.process_of(trial), FakeSystem::Status.new(1, nil))
    run_until(server) { !server.roster.trial.equal?(trial) }

    assert_equal [nil, 1], [server.roster.trial, server.roster.release.number]
  end

  test "neither a rollback nor a trial in the place of a worker is warmed up" do
    server = settled_server(warm_up_requests: ["/"], refork_surge: 0, rollback_window: 0, releases: {
      "/releases/2" => { warm_up_requests: ["/"], refork_surge: 1, rollback_window: 0 }
    })

    assert_equal false, warm_up_of_trial(server, "/releases/2").first
    server.settle
    roll_back(server)
    run_until(server) { server.roster.trial }

    refute_predicate server.roster.trial, :warms_up?
  end

  # Whether the trial of this release is warmed up, and how many seconds it has.
  def warm_up_of_trial(server, directory)
    roll(server, directory)
    run_until(server) { server.roster.trial }
    server.system.step(server.process_of(server.roster.candidate))
    server.turn
    trial = server.roster.trial
    [trial.warms_up?, (trial.deadline - server.system.now).round]
  end

  test "a release without a warm-up is not rehearsed, though the one before was" do
    server = settled_server(warm_up_requests: ["/"], releases: { "/releases/2" => { warm_up_requests: nil } })
    generation = server.roster.generation
    roll(server, "/releases/2")
    server.settle

    assert_equal [2, generation + 1], [server.roster.release.number, server.roster.generation]
  end

  test "a server that stops gives the workers of the release before the time of their own configuration" do
    server = settled_server(timeout: 100, releases: { "/releases/2" => { timeout: 5 } })
    worker = server.roster.workers.first
    server.process_of(worker).hanging = true
    roll(server, "/releases/2")
    run_until(server) { worker.leaving? && server.roster.release.number == 2 }
    server.operations.stop_gracefully

    assert_operator server.roster.stop.deadline - server.system.now, :>=, 200
  end

  test "a server that stops takes no roll" do
    server = settled_server
    server.operations.stop_gracefully

    assert_equal "the server is stopping", assert_raises(Coppice::Error) { roll(server, "/releases/2") }.message
    assert_nil server.roster.roll
  end
end
