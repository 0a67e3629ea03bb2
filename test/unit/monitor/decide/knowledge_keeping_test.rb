# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"
require "coppice/gc_profile"

# When a server keeps what it has found out for its next start.
class KnowledgeKeepingTest < SupervisionTestCase
  include FakeServerRolls

  COMPLETE = Coppice::GCProfile::MEASURED_REQUESTS

  def look(server)
    server.system.advance(Coppice::Monitor::KnowledgeKeeping::LOOK_PAUSE)
    server.turn
  end

  test "each of a few workers that have measured is kept, once" do
    server = settled_server(worker_processes: 12)
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    20.times { look(server) }

    assert_equal Coppice::Monitor::KnowledgeKeeping::MEASURED_WORKERS, server.kept.size
    assert_equal server.kept.uniq, server.kept
  end

  test "a worker that has not served enough has measured nothing" do
    server = settled_server
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE - 1) }
    look(server)

    assert_empty server.kept
  end

  test "where pages are rehearsed, they are measured first, and then what clients request" do
    server = settled_server(warm_up_requests: ["/"].freeze)
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    20.times { look(server) }

    assert_equal [true, *server.roster.ready_workers.map { false }], server.kept.map(&:rehearsing?)
  end

  test "where the rehearsal came to no measurement, clients' requests are measured" do
    server = server_of(warm_up_requests: ["/"].freeze)
    run_until(server) do
      server.roster.workers.each { |worker| worker.row.allocations = "" }
      server.roster.generation.positive? && server.roster.settled?
    end
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    look(server)

    assert_equal [false], server.kept.map(&:rehearsing?)
  end

  test "without a fitted garbage collector nothing is measured" do
    server = settled_server(gc_profile: :ruby)
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    server.turn

    assert_empty server.kept
  end

  test "what workers of the release before have measured is not kept for the one that is committed" do
    server = settled_server
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    20.times { look(server) }
    server.kept.clear
    roll(server, "/releases/2")
    run_until(server) { server.roster.release.number == 2 }

    assert_empty server.kept
    server.settle
    server.roster.ready_workers.each { |worker| measured(worker, COMPLETE) }
    look(server)

    assert_equal [2], releases_of(server.kept)
  end

  test "learned paths are kept once a minute" do
    server = settled_server(warm_up_requests: [:learned].freeze, gc_profile: :ruby)
    server.kept.clear
    times = 3.times.map do
      server.system.advance(Coppice::Monitor::KnowledgeKeeping::PATHS_PAUSE)
      2.times { server.turn }
      server.kept.size
    end

    assert_equal [1, 2, 3], times
  end

  private

  def measured(worker, requests)
    worker.row.requests = requests
    worker.row.allocations = "measured"
  end
end
