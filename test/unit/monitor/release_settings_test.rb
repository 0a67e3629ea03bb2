# frozen_string_literal: true

require_relative "../../support/family_rolls"
require_relative "../../support/family_test_case"

# What a release brings with its configuration, and how many workers there are during a lean roll.
class ReleaseSettingsTest < FamilyTestCase
  include FamilyRolls

  test "a service that survives reforks does not survive its release" do
    family = rolled_family(services: { "jobs" => { survives_reforks: true } }, releases: {
      "/releases/2" => { services: { "mail" => { survives_reforks: true } } }
    })
    family.settle

    assert_equal [["mail", 2]], family.roster.services.map { |handle| [handle.service.name, handle.release.number] }
  end

  test "what follows a commit in the same turn is decided by the new release's settings" do
    family = settled_family(refork_surge: 0, services: { "jobs" => {} }, releases: {
      "/releases/2" => { services: {} }
    })
    roll(family, "/releases/2")
    run_until(family) { family.roster.trial }
    family.system.die(family.process_of(family.roster.service("jobs")), FakeSystem::Status.new(1, nil))
    family.turn
    family.system.advance(1)
    run_until_trial_is_ready(family)
    family.turn

    assert_equal 2, family.roster.release.number
    assert_empty family.roster.services
  end

  test "a lean roll has one worker less while it boots" do
    family = settled_family(roll_strategy: :lean)
    roll(family, "/releases/2")
    run_until(family) { family.roster.candidate }

    assert_equal [3, 3], [family.roster.ready_workers.size, family.board.workers_count]
    family.settle

    assert_equal [4, 4], [family.roster.ready_workers.size, family.board.workers_count]
  end

  test "every queue has a worker while a lean roll has one worker less" do
    family = family_of(worker_processes: 2, roll_strategy: :lean)
    family.define_singleton_method(:listeners_for) do |nr, workers:|
      workers == 1 ? [$stdin, $stdout] : [[$stdin, $stdout].fetch(nr % 2)]
    end
    family.settle
    roll(family, "/releases/hangs")
    family.settle

    assert_equal 1, family.roster.held_back
    assert_equal [$stdin, $stdout].map(&:fileno), family.roster.ready_workers.flat_map(&:listeners).uniq.sort
  end

  test "the number of workers that is asked for during a lean roll holds afterwards" do
    family = settled_family(roll_strategy: :lean)
    roll(family, "/releases/2")
    run_until(family) { family.roster.candidate }
    family.supervision.resize_to(6)

    assert_equal 5, family.roster.target
    family.supervision.resize(-1)
    family.settle

    assert_equal 5, family.roster.ready_workers.size
  end

  test "a release with one worker gets one, though a slot was held back" do
    family = settled_family(roll_strategy: :lean, releases: { "/releases/2" => { worker_processes: 1 } })
    roll(family, "/releases/2")
    family.settle

    assert_equal 1, family.roster.ready_workers.size
  end

  test "a child of the new release has the time that its own configuration gives it" do
    family = settled_family(spawn_timeout: 5, releases: { "/releases/2" => { spawn_timeout: 50 } })
    roll(family, "/releases/2")
    run_until(family) { family.roster.trial }

    assert_in_delta 50, family.roster.trial.deadline - family.system.now
    family.system.step(family.process_of(family.roster.candidate))
    family.turn

    assert_in_delta 50, family.roster.trial.deadline - family.system.now
  end

  test "the first worker of a release that is warmed up is rehearsed, though the one before had no warm-up" do
    family = settled_family(releases: { "/releases/2" => { warm_up_requests: ["/"] } })
    roll(family, "/releases/2")
    run_until(family) { family.roster.rehearsal }

    assert_equal [2, 2], [family.roster.release.number, family.roster.rehearsal.release.number]
  end

  test "a release without a warm-up is not rehearsed, though the one before was" do
    family = settled_family(warm_up_requests: ["/"], releases: { "/releases/2" => { warm_up_requests: nil } })
    generation = family.roster.generation
    roll(family, "/releases/2")
    family.settle

    assert_equal [2, generation + 1], [family.roster.release.number, family.roster.generation]
  end

  test "a server that stops gives the workers of the release before the time of their own configuration" do
    family = settled_family(timeout: 100, releases: { "/releases/2" => { timeout: 5 } })
    worker = family.roster.workers.first
    family.process_of(worker).hanging = true
    roll(family, "/releases/2")
    run_until(family) { worker.leaving? && family.roster.release.number == 2 }
    family.supervision.stop_gracefully

    assert_operator family.roster.stop_deadline - family.system.now, :>=, 200
  end

  test "a server that stops takes no roll" do
    family = settled_family
    family.supervision.stop_gracefully

    assert_equal "the server is stopping", assert_raises(Coppice::Error) { roll(family, "/releases/2") }.message
    assert_nil family.roster.roll
  end
end
