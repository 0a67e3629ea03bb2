# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"

# Which processes measure their memory once more, and when.
class RemeasurementTest < SupervisionTestCase
  include FakeServerRolls

  AT_ONCE = Coppice::Monitor::Remeasurement::AT_ONCE
  PAUSE = Coppice::Monitor::Remeasurement::PAUSE

  # One whose processes have measured themselves since all were there.
  def measured_server(**settings)
    settled_server(**settings).tap { |server| measured_in(server) { nil } }
  end

  # The pids of those that are told to measure themselves in the seconds after the block.
  def measured_in(server)
    server.system.advance(PAUSE)
    before = server.system.measured.size
    yield
    10.times do
      server.settle
      server.system.advance(PAUSE)
    end
    server.system.measured.drop(before)
  end

  def family(server) = [server.roster.mold, *server.roster.workers, *server.roster.services]

  def kill(server, worker) = server.system.die(server.process_of(worker), FakeSystem::Status.new(nil, 9))

  test "once all workers are there, everybody measures once more, with the mold and the services" do
    server = settled_server(services: { "jobs" => {} })
    measured_in(server) { nil }

    assert_equal family(server).map(&:pid).sort, server.system.measured.sort
    assert_equal 6, server.system.measured.size
    assert(family(server).all? { |handle| server.roster.measured?(handle) })
  end

  test "nobody is asked while nothing changes" do
    server = measured_server

    assert_empty measured_in(server) { server.system.advance(3600) }
  end

  test "a new generation is measured when it is complete, not before" do
    server = measured_server
    early = []
    pids = measured_in(server) do
      server.operations.refork
      before = server.system.measured.size
      run_until(server) do
        complete = server.roster.generation == 1 && server.roster.settled?
        early << (server.system.measured.size - before) unless complete
        complete
      end
    end

    assert_equal [0], early.uniq
    assert_equal family(server).map(&:pid).sort, pids.sort
  end

  test "a mold that waits for a rollback measures once more: its workers are gone" do
    server = rolled_server(rollback_window: 3600)
    pids = measured_in(server) { server.settle }

    assert_includes pids, server.roster.kept.pid
  end

  test "one that has measured itself meanwhile is not asked" do
    server = settled_server
    busy = server.roster.workers.last
    pids = measured_in(server) { busy.row.measured_ms = (server.system.now * 1000).to_i + 1 }

    refute_includes pids, busy.pid
  end

  test "one that has not answered is not asked again" do
    server = measured_server
    silent = server.roster.workers.last
    server.system.deaf << silent.pid
    pids = measured_in(server) { server.operations.resize(+2) } + measured_in(server) { server.operations.resize(+2) }

    assert_equal [1, 2], [silent, server.roster.workers.first].map { |worker| pids.count(worker.pid) }
  end

  test "one that cannot measure itself is not asked" do
    server = server_of
    run_until(server) { server.roster.workers.size == 4 && server.roster.workers.all?(&:ready?) }
    unable = server.roster.workers.last
    unable.row.measured_ms = 0

    refute_includes measured_in(server) { nil }, unable.pid
  end

  test "only a few are asked at a time" do
    server = settled_server(worker_processes: 10)
    server.turn
    rounds = Array.new(6) do
      before = server.system.measured.size
      server.settle
      server.system.advance(PAUSE)
      server.system.measured.size - before
    end

    assert_operator rounds.max, :<=, AT_ONCE
    assert_equal 11, server.system.measured.uniq.size
  end

  test "more workers share more, so everybody measures; a worker in the place of another one changes nothing" do
    server = measured_server
    lost = measured_in(server) { kill(server, server.roster.workers.first) }
    more = measured_in(server) { server.operations.resize(+2) }

    assert_empty lost
    assert_equal family(server).map(&:pid).sort, more.sort
  end

  test "among many, one more or less does not matter" do
    server = measured_server(worker_processes: 30, guests: 4)

    assert_empty measured_in(server) { server.start_guest }
    refute_empty measured_in(server) { server.operations.resize(+3) }
  end

  test "the mold counts as one of those that share: when it exits, a few workers measure once more" do
    server = measured_server(keep_mold: false)
    exited = measured_in(server) { server.system.advance(Coppice::Monitor::IdleMold::IDLE) }

    assert_nil server.roster.mold
    assert_equal server.roster.workers.map(&:pid).sort, exited.sort
  end
end
