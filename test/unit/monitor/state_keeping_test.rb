# frozen_string_literal: true

require_relative "../../support/family_test_case"
require "coppice/gc_profile"

# When a family keeps what it has found out for its next start.
class StateKeepingTest < FamilyTestCase
  COMPLETE = Coppice::GCProfile::MEASURED_REQUESTS

  def look(family)
    family.system.advance(Coppice::Monitor::StateKeeping::LOOK_PAUSE)
    family.turn
  end

  test "each of a few workers that have measured is kept, once" do
    family = settled_family(worker_processes: 12)
    family.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    20.times { look(family) }

    assert_equal Coppice::Monitor::StateKeeping::MEASURED_WORKERS, family.kept.size
    assert_equal family.kept.uniq, family.kept
  end

  test "a worker that has not served enough has measured nothing" do
    family = settled_family
    family.roster.ready_workers.each { |worker| measured(worker, COMPLETE - 1) }
    look(family)

    assert_empty family.kept
  end

  test "where pages are rehearsed, they are measured first, and then what clients request" do
    family = settled_family(warm_up_requests: ["/"].freeze)
    family.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    20.times { look(family) }

    assert_equal [true, *family.roster.ready_workers.map { false }], family.kept.map(&:rehearsing?)
  end

  test "where the rehearsal came to no measurement, clients' requests are measured" do
    family = family_of(warm_up_requests: ["/"].freeze)
    run_until(family) do
      family.roster.workers.each { |worker| worker.row.allocations = "" }
      family.roster.generation.positive? && family.roster.settled?
    end
    family.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    look(family)

    assert_equal [false], family.kept.map(&:rehearsing?)
  end

  test "without a fitted garbage collector nothing is measured" do
    family = settled_family(gc_profile: :ruby)
    family.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    family.turn

    assert_empty family.kept
  end

  test "learned paths are kept once a minute" do
    family = settled_family(warm_up_requests: [:learned].freeze, gc_profile: :ruby)
    times = 3.times.map do
      family.system.advance(Coppice::Monitor::StateKeeping::PATHS_PAUSE)
      2.times { family.turn }
      family.kept.size
    end

    assert_equal [1, 2, 3], times
  end

  private

  def measured(worker, requests)
    worker.row.requests = requests
    worker.row.allocations = "measured"
  end
end
