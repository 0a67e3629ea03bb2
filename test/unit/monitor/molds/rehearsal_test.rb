# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# How a server starts that is warmed up.
class RehearsalDecisionsTest < SupervisionTestCase
  WARM = { worker_processes: 3, warm_up_requests: ["/"].freeze }.freeze

  # A server with one worker that serves, and one that is warmed up.
  def rehearsing_server(**settings)
    server_of(**WARM, **settings).tap do |server|
      server.roster.succession.gc_unmeasured = false
      run_until(server) { server.roster.rehearsal&.pid }
    end
  end

  def generations(server) = server.roster.ready_workers.map(&:generation)

  # It is not over before somebody lets it go on.
  def hold_rehearsal(server)
    server.process_of(server.roster.rehearsal).hanging = true
    server.settle
  end

  test "clients can connect once one worker serves; the others are children of the one that is warmed up" do
    server = rehearsing_server
    rehearsal = server.roster.rehearsal
    hold_rehearsal(server)

    assert_equal [[0, true], [3, false]], (server.roster.workers.map { |worker| [worker.nr, worker.serving?] })
    assert_predicate server, :open?
    server.process_of(rehearsal).hanging = false
    server.settle

    assert_equal [1, 1, 1], generations(server)
    assert_predicate rehearsal, :gone?
    refute_predicate server.roster.mold, :cold?
  end

  test "a canary does not delay them" do
    server = rehearsing_server(canary: true)
    server.settle

    assert_equal [1, 1, 1], generations(server)
  end

  test "where a request waits for a second they are forked cold, and replaced later" do
    server = rehearsing_server
    hold_rehearsal(server)
    server.board.lobby.waiting = 1
    server.turn
    server.system.advance(0.9)
    server.settle
    before = generations(server)
    server.system.advance(0.2)
    server.settle

    assert_equal [[0], [0, 0, 0]], [before, generations(server)]
    server.process_of(server.roster.rehearsal).hanging = false
    server.settle

    assert_equal [1, 1, 1], generations(server)
  end

  test "where the application may be booted once more nobody serves before that" do
    server = server_of(**WARM, gc_profile_wait: true)
    run_until(server) { server.roster.rehearsal&.pid }
    hold_rehearsal(server)

    assert_equal [server.roster.rehearsal], server.roster.workers
    refute_predicate server, :open?
  end

  test "where the user waits for the warm-up nobody serves before it is over, and each worker is warm" do
    server = server_of(**WARM, warm_up_wait: true)
    run_until(server) { server.roster.rehearsal&.pid }
    rehearsal = server.roster.rehearsal
    hold_rehearsal(server)

    assert_equal [[rehearsal], false], [server.roster.workers, server.open?]
    server.process_of(rehearsal).hanging = false
    server.settle

    assert_equal [[1, 1, 1], true], [generations(server), server.open?]
  end

  test "a warm-up that the user waits for and that is lost leaves the cold mold's workers to serve" do
    server = server_of(**WARM, warm_up_wait: true)
    run_until(server) { server.roster.rehearsal&.pid }
    server.system.signal(server.roster.rehearsal.pid, :KILL)
    server.settle

    assert_equal [[0, 0, 0], true], [generations(server), server.open?]
  end

  test "where clients can connect already none waits for a warm-up" do
    server = settled_server(**WARM, warm_up_wait: true)
    [server.roster.mold, *server.roster.ready_workers].each { |handle| server.system.signal(handle.pid, :KILL) }
    run_until(server) { server.roster.rehearsal&.pid }
    hold_rehearsal(server)

    assert_equal [0], server.roster.workers.select(&:serving?).map(&:nr)
  end

  test "a warmed-up worker that may not be forked is retired, and the cold mold's workers serve" do
    server = rehearsing_server
    rehearsal = server.roster.rehearsal
    server.process_of(rehearsal).row.not_fork_safe = 1
    server.settle

    assert_predicate rehearsal, :gone?
    assert_equal [0, 0, 0], generations(server)
    assert_predicate server.roster.mold, :cold?
  end

  test "a warmed-up worker that refuses to be forked is retired, and nothing was abandoned" do
    server = rehearsing_server
    rehearsal = server.roster.rehearsal
    server.process_of(rehearsal).refuses = true
    server.settle

    assert_predicate rehearsal, :gone?
    assert_equal [[0, 0, 0], 0], [generations(server), server.roster.succession.abandonments]
  end

  test "the wait for it is that for a boot" do
    server = rehearsing_server(spawn_timeout: 1, boot_timeout: 100)
    rehearsal = server.roster.rehearsal
    server.system.advance(50)
    server.turn

    refute_predicate rehearsal, :leaving?
  end

  test "one that is lost is no loss: the cold mold's workers serve, and nobody gives up" do
    server = rehearsing_server(max_consecutive_spawn_errors: 1)
    server.system.signal(server.roster.rehearsal.pid, :KILL)
    server.settle

    assert_equal [0, 0, 0], generations(server)
    assert_nil server.roster.give_up_reason
  end

  test "one that hangs is ended, and the cold mold's workers serve" do
    server = rehearsing_server(boot_timeout: 100)
    server.process_of(server.roster.rehearsal).hanging = true
    server.system.advance(101)
    3.times do
      server.settle
      server.system.advance(2)
    end
    server.settle

    assert_equal [0, 0, 0], generations(server)
  end

  test "one that must not be forked is no mold: the cold one's workers serve" do
    server = rehearsing_server
    server.system.middle = :lost # a worker that is not fork safe closes the channel
    server.settle

    assert_equal [0, 0, 0], generations(server)
  end

  test "a mold that is lost meanwhile is booted again, and who serves is warm" do
    server = rehearsing_server
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle

    assert_equal [1, 1, 1], generations(server)
    refute_predicate server.roster.mold, :cold?
  end

  test "more workers that are wanted meanwhile come with the others" do
    server = rehearsing_server
    2.times { server.operations.resize(+1) }
    server.settle

    assert_equal [0, 1, 2, 3, 4], server.roster.ready_workers.map(&:nr).sort
    assert_equal [1], generations(server).uniq
  end

  # The server's processes hang in what they ask themselves for, and are ended for it.
  def let_first_requests_hang(server)
    server.system.hanging_first_request = true
    yield
    2.times do
      server.settle
      server.system.advance(server.settings.spawn_timeout + 1)
    end
    server.settle
  end

  test "a worker that hangs in what it asks itself for is replaced by one that does not ask" do
    server = settled_server
    let_first_requests_hang(server) { server.system.signal(server.roster.ready_workers.first.pid, :KILL) }

    assert_equal 4, server.roster.ready_workers.size
  end

  test "a worker that was never forked says nothing about what the next one asks itself for" do
    server = settled_server
    server.system.middle = :lost
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.settle
    server.system.advance(10)
    server.settle

    assert_equal [4, 0], [server.roster.ready_workers.size, server.roster.succession.first_requests_from]
  end

  test "the next generation asks itself again, and is not given up if it hangs again" do
    server = settled_server(refork_backoff: 1)
    2.times do |generation|
      let_first_requests_hang(server) { server.operations.refork }

      assert_equal generation + 1, server.roster.generation
      assert_equal generation + 2, server.roster.succession.first_requests_from
    end
  end

  test "a stop that comes meanwhile ends everybody" do
    server = rehearsing_server
    server.operations.stop(:gracefully)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "what was measured for the first time calls for another cold mold, once, where the user waits for it" do
    server = server_of(**WARM, gc_profile_wait: true)
    boots = []
    run_until(server) do
      boots |= [server.roster.mold, server.roster.candidate].compact.select(&:cold?)
      server.roster.generation.positive? && server.roster.settled?
    end

    assert_equal 2, boots.size
    assert_equal [1, 1, 1], generations(server)
    refute server.roster.succession.gc_unmeasured
  end

  test "beside workers that serve a measurement calls for nothing" do
    server = settled_server(**WARM)
    server.roster.succession.gc_unmeasured = true
    server.roster.succession.rehearsal_due = true
    last = server.roster.generation
    run_until(server) { server.roster.generation == last + 1 && server.roster.settled? }

    assert server.roster.succession.gc_unmeasured
    refute_predicate server.roster.mold, :cold?
  end

  test "otherwise it is kept for the next boot" do
    server = server_of(**WARM)
    boots = []
    run_until(server) do
      boots |= [server.roster.mold, server.roster.candidate].compact.select(&:cold?)
      server.roster.generation.positive? && server.roster.settled?
    end

    assert_equal 1, boots.size
    assert_equal [true], server.kept.map(&:rehearsing?)
  end

  test "without a measurement there is nothing to boot again for" do
    server = server_of(**WARM, gc_profile_wait: true)
    boots = []
    run_until(server) do
      server.roster.workers.each { |worker| worker.row.allocations = "" }
      boots |= [server.roster.mold, server.roster.candidate].compact.select(&:cold?)
      server.roster.generation.positive? && server.roster.settled?
    end

    assert_equal 1, boots.size
  end

  test "beside workers that serve, it stays until it is promoted, and they until then" do
    server = settled_server(**WARM)
    workers = server.roster.ready_workers
    server.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    server.system.signal(server.roster.mold.pid, :KILL)
    run_until(server) { server.roster.candidate && !server.roster.candidate.cold? }

    assert_predicate server.roster.rehearsal, :ready?
    assert_equal workers, server.roster.ready_workers - [server.roster.rehearsal]
  end
end
