# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# The worker that some routes are not given to, so that reforks go on.
class HeirTest < SupervisionTestCase
  POST = "POST /rooms/12/messages"

  # Its request makes the worker unsafe.
  def taint(server, handle, request = POST, why: "grpc")
    handle.row.not_fork_safe = 1
    process = server.process_of(handle)
    process.channel.send(Coppice::Control::Messages::BecameUnsafe.new(request: request, why: why))
    server.settle
  end

  def heir(server) = server.roster.heir.worker

  def told(server, word) = server.system.lobby.heard.select { |words| words.first == word }.map(&:last)

  test "without a report there is none" do
    server = settled_server
    server.turn

    assert_nil heir(server)
    assert_empty told(server, "heir")
  end

  test "it is the warmest worker that may be forked, until that is gone" do
    server = settled_server
    server.roster.workers.each_with_index { |worker, index| worker.row.requests = index }
    taint(server, server.roster.workers.last)

    assert_equal server.roster.workers[2], heir(server)
    assert_equal 1, heir(server).row.heir
    assert_equal heir(server).seat.number.to_s, told(server, "heir").last
    server.system.die(server.process_of(heir(server)), FakeSystem::Status.new(nil, 9))
    server.settle

    assert_equal 1, heir(server).requests_count
    assert_equal [1], server.roster.workers.map { |worker| worker.row.heir } - [0]
  end

  test "a refork takes it, though others are warmer" do
    server = settled_server
    taint(server, server.roster.workers[0])
    kept = heir(server)
    server.roster.workers.each { |worker| worker.row.requests = worker.equal?(kept) ? 1 : 9 }
    server.operations.refork
    server.turn

    assert_equal kept, server.roster.candidate.parent
  end

  test "routes are known once each, by what their paths have in common, and forgotten with their release" do
    server = settled_server
    workers = server.roster.workers
    taint(server, workers[0])
    taint(server, workers[1], "POST /rooms/13/messages", why: "other")
    taint(server, workers[2], "GET /#{"a" * 130}")

    assert_equal [["POST /rooms/*/messages", "grpc"]], server.roster.heir.routes.map(&:to_a)
    assert_equal "POST /rooms/*/messages\tgrpc", server.board.unsafe_routes
    server.supervision.rolls.roll("/releases/2", asked_by: "uid 7")
    server.settle

    assert_equal [[], nil, ""], [server.roster.heir.routes, heir(server), server.board.unsafe_routes]
    assert_equal "-1", told(server, "heir").last
    assert_equal "avoided-routes", told(server, "avoided-routes").last # without one
  end

  test "a rollback forgets the routes of the release that is taken back" do
    server = settled_server
    server.supervision.rolls.roll("/releases/2", asked_by: "uid 7")
    server.settle
    taint(server, server.roster.workers.first)
    server.supervision.rolls.rollback(asked_by: "uid 7")
    server.settle

    assert_equal [[], ""], [server.roster.heir.routes, server.board.unsafe_routes]
  end

  test "when three were lost none is kept" do
    log = RecordingLog.new
    server = settled_server(worker_processes: 6, log: log)
    taint(server, server.roster.workers.first)
    taint(server, heir(server), "GET /at_once")
    3.times do |number|
      server.system.advance(2)
      taint(server, heir(server), "GET /#{%w[a b c][number]}")
    end

    assert_nil heir(server)
    assert_equal 1, log.saying("no worker is kept fit for reforks any more").size
  end

  test "those that were lost before a refork do not count" do
    log = RecordingLog.new
    server = settled_server(worker_processes: 6, log: log)
    taint(server, server.roster.workers.first)
    3.times do |number|
      server.system.advance(2)
      taint(server, heir(server), "GET /#{%w[a b c][number]}")
      server.operations.refork
      server.settle
    end

    assert_equal [3, true], [server.roster.generation, heir(server).ready?]
    assert_empty log.saying("no worker is kept fit for reforks any more")
  end

  test "when no worker is left that may be forked one is replaced, and the new one is the heir" do
    server = settled_server
    before = server.roster.workers.map(&:pid)
    server.roster.workers.each { |worker| worker.row.not_fork_safe = 1 }
    taint(server, server.roster.workers.first)

    assert_equal 1, (server.roster.workers.map(&:pid) - before).size
    refute_includes before, heir(server).pid
  end

  test "one worker has no heir, nor has a server without a lobby" do
    [{ worker_processes: 1 }, WITHOUT_LOBBY].each do |settings|
      server = settled_server(**settings)
      taint(server, server.roster.workers.first)

      assert_nil heir(server)
      server.close
      @server = nil
    end
  end
end
