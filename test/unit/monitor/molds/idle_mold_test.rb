# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require_relative "../../../support/fake_server_rolls"

# A server with `keep_mold false`: when its mold exits, and when there is one again.
class IdleMoldTest < SupervisionTestCase
  include FakeServerRolls

  IDLE = Coppice::Monitor::IdleMold::IDLE

  # One that has had nothing to fork for a while.
  def server_without_mold(**settings)
    settled_server(keep_mold: false, **settings).tap do |server|
      pass_idle_time(server)

      assert_nil server.roster.mold
    end
  end

  def pass_idle_time(server)
    server.turn
    server.system.advance(IDLE)
    server.settle
  end

  def kill(server, worker) = server.system.signal(worker.pid, :KILL)

  def generations(server) = server.roster.ready_workers.map(&:generation)

  test "a mold that is kept stays" do
    server = settled_server
    mold = server.roster.mold
    pass_idle_time(server)

    assert_same mold, server.roster.mold
  end

  test "a mold that is not kept stays for a while after the last fork" do
    server = settled_server(keep_mold: false)
    server.turn
    server.system.advance(IDLE / 2)
    kill(server, server.roster.ready_workers.first)
    server.settle
    server.system.advance(IDLE / 2)
    server.settle

    assert_predicate server.roster.mold, :ready?
    server.system.advance(IDLE)
    server.settle

    assert_nil server.roster.mold
  end

  test "a lost worker is replaced from a temporary copy of the warmest one, of the same generation" do
    server = server_without_mold
    others = server.roster.ready_workers.drop(1)
    kill(server, server.roster.ready_workers.first)
    server.settle

    assert_predicate server.roster.mold, :temporary?
    assert_equal others, server.roster.ready_workers & others
    assert_equal [0, 0, 0, 0], generations(server)
    pass_idle_time(server)

    assert_nil server.roster.mold
  end

  test "a worker over its limit begins a new generation" do
    server = server_without_mold(worker_max_requests: 8)
    server.roster.ready_workers.first.row.requests = 8
    server.turn # it is seen to be over its limit
    server.settle

    assert_equal [1, 1, 1, 1], generations(server)
    refute_predicate server.roster.mold, :temporary?
  end

  test "a refork needs no mold" do
    server = server_without_mold
    server.operations.refork
    server.settle

    assert_equal [1, 1, 1, 1], generations(server)
    pass_idle_time(server)

    assert_nil server.roster.mold
  end

  test "a refork that pays is seen without a mold, whose own figures are remembered" do
    server = server_without_mold(worker_processes: 2, refork_after: :auto)
    server.roster.ready_workers.each do |worker|
      worker.row.measured_requests = 500
      worker.row.private_kib = 100_000
      worker.row.cpu_ms = 5_000
    end
    usage = Coppice::Monitor::ReforkCondition::GenerationUsage.of(server.roster)

    assert_equal [true, 300_000], [usage.cold, usage.total]
    server.settle

    assert_equal 1, server.roster.generation
  end

  test "a service that has exited is forked from a temporary mold" do
    server = server_without_mold(services: { "jobs" => {} })
    kill(server, server.roster.service("jobs"))
    server.settle
    server.system.advance(2)
    server.settle

    assert_predicate server.roster.service("jobs"), :ready?
    assert_predicate server.roster.mold, :temporary?
  end

  test "a mold stays until the last service of an earlier release is replaced, though it starts slowly" do
    server = settled_server(keep_mold: false, spawn_timeout: 60, rollback_window: 0,
                            services: { "jobs" => { survives_reforks: true } }, releases: { "/releases/2" => {} })
    kill(server, server.roster.service("jobs"))
    server.turn
    server.system.advance(2)
    run_until(server) { server.roster.service("jobs")&.pid }
    slow = server.process_of(server.roster.service("jobs"))
    slow.hanging = true
    roll(server, "/releases/2")
    run_until(server) { server.roster.release.number == 2 }
    server.settle
    pass_idle_time(server)
    slow.hanging = false
    server.settle

    assert_equal [2], releases_of(server.roster.services)
    pass_idle_time(server)

    assert_nil server.roster.mold
  end

  test "reforks whose mold is killed again and again pause" do
    server = server_without_mold(refork_backoff: 10, refork_after: [5, 1000])
    server.roster.ready_workers.each { |worker| worker.row.requests = 5 }
    asked = []
    run_until(server) do
      candidate = server.roster.candidate
      asked |= [candidate].compact
      server.system.signal(candidate.pid, :KILL) if candidate&.pid
      server.roster.reforks.not_before > server.system.now
    end

    assert_equal Coppice::Monitor::Promotion::KILLED_IN_A_ROW + 1, asked.size
    assert_equal 4, server.roster.ready_workers.size
  end

  test "a mold that is told to exit is not waited for" do
    server = settled_server(keep_mold: false)
    server.process_of(server.roster.mold).hanging = true
    pass_idle_time(server)
    kill(server, server.roster.ready_workers.first)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end
end
