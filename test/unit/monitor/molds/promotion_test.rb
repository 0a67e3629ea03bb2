# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

class PromotionTest < SupervisionTestCase
  test "a start boots one cold mold and fills every slot from it" do
    server = settled_server(worker_processes: 3, **WITHOUT_LOBBY)

    assert_equal [0, 1, 2], server.roster.ready_workers.map(&:nr).sort
    assert_predicate server.roster.mold, :cold?
    assert_equal 4, server.system.processes.size
  end

  test "the worker that served most is promoted and its generation replaces the old one" do
    server = settled_server(refork_after: [50])
    first_mold = server.roster.mold
    warmest = server.roster.ready_workers[2]
    server.roster.ready_workers.each { |worker| worker.row.requests = worker.equal?(warmest) ? 50 : 10 }
    server.turn

    assert_same warmest, server.roster.candidate.parent
    server.settle

    assert_equal 1, server.roster.generation
    assert_predicate first_mold, :gone?
    assert_equal [1], server.roster.ready_workers.map(&:generation).uniq
    assert_equal 4, server.roster.ready_workers.size
  end

  test "no worker makes room for a trial while another one has a signal to leave" do
    server = settled_server(worker_processes: 4, refork_surge: 0)
    server.roster.ready_workers.each { |worker| worker.row.requests = 10 }
    server.operations.refork
    server.turn
    candidate = server.roster.candidate
    coldest, signalled, = server.roster.ready_workers - [candidate.parent]
    coldest.row.requests = 1
    server.system.report_term(server.process_of(signalled))
    until candidate.ready?
      server.system.step(server.process_of(candidate.pid ? candidate : candidate.parent))
      server.turn
    end
    server.turn

    refute_predicate coldest, :leaving?
    server.system.advance(1.1)
    server.settle

    assert_equal 1, server.roster.generation
  end

  test "a worker that is not fork safe is never promoted" do
    server = settled_server
    unsafe, *others = server.roster.ready_workers
    server.roster.ready_workers.each { |worker| worker.row.requests = 10 }
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    server.operations.refork
    server.turn

    assert_includes others, server.roster.candidate.parent
  end

  test "a worker that served nobody is not promoted where others served, and the wish waits" do
    server = settled_server
    unsafe, *others = server.roster.ready_workers
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    server.operations.refork
    server.settle

    assert_equal 0, server.roster.generation
    others.first.row.requests = 1
    server.settle

    assert_equal 1, server.roster.generation
  end

  test "requests of a worker that may not be promoted do not count for refork_after" do
    server = settled_server(refork_after: [50])
    unsafe, *others = server.roster.ready_workers
    unsafe.row.requests = 1000
    unsafe.row.not_fork_safe = 1
    others.each { |worker| worker.row.requests = 49 }
    server.settle

    assert_equal 0, server.roster.generation
    others.last.row.requests = 50
    server.turn

    assert_same others.last, server.roster.candidate.parent
  end

  test "a list of limits that ends with false ends reforking" do
    server = server_of(refork_after: [10, false])
    2.times do
      server.settle
      server.roster.ready_workers.each { |worker| worker.row.requests = 1_000_000 }
    end
    server.settle

    assert_equal 1, server.roster.generation
  end

  test "a candidate that ends before it is ready leaves the old mold in charge and starts the back-off" do
    server = settled_server(refork_backoff: 10)
    mold = server.roster.mold
    server.operations.refork
    server.turn
    server.system.step(server.process_of(server.roster.candidate.parent))
    server.turn
    server.process_of(server.roster.candidate).broken = true
    server.settle

    assert_same mold, server.roster.mold
    assert_nil server.roster.candidate
    assert_equal server.system.now + 10, server.roster.reforks.not_before
    assert_equal 4, server.roster.ready_workers.size
  end

  test "each candidate has a trial of its own" do
    server = settled_server
    server.operations.refork
    server.settle
    server.operations.refork
    run_until(server) { server.roster.candidate&.ready? && server.roster.trial }

    assert_equal 1, server.roster.generation
    assert_predicate server.roster.trial, :starting?
  end

  test "a wish for a refork outlives the replacement of a lost mold" do
    server = settled_server
    server.system.signal(server.roster.mold.pid, :KILL)
    server.operations.refork
    2.times { server.settle } # first the mold, then the wish

    assert_equal 1, server.roster.generation
  end

  test "a candidate whose first worker never gets ready is abandoned" do
    server = settled_server
    mold = server.roster.mold
    server.operations.refork
    run_until(server) { server.roster.trial&.pid }
    server.process_of(server.roster.trial).broken = true
    server.settle

    assert_same mold, server.roster.mold
    assert_equal 0, server.roster.generation
    server.system.advance(1) # past the pause after a child that never got ready
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  # Everything that this mold forks ends before it is ready, until the block is content.
  def lose_all_children_until(server)
    run_until(server) do
      server.system.processes.each_value do |process|
        process.broken = true if process.stage == :forked && process.role == :worker
      end
      server.system.advance(1)
      yield
    end
  end

  test "a worker whose copy was no good is not promoted again before the others" do
    server = settled_server(refork_backoff: 0)
    spoilt, *others = server.roster.ready_workers
    spoilt.row.requests = 1000
    tried = []
    server.operations.refork
    lose_all_children_until(server) { (tried |= [server.roster.candidate&.parent].compact).size == 4 }

    assert_equal [spoilt, *others], tried
  end

  test "a worker whose copy took a lost mold's place is still the warmest" do
    server = settled_server
    warmest = server.roster.ready_workers[2]
    warmest.row.requests = 1000
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle
    server.operations.refork
    server.turn

    assert_same warmest, server.roster.candidate.parent
  end

  test "trials that fail of themselves cost nobody a slot, nor end the server" do
    server = settled_server(refork_backoff: 0, max_consecutive_spawn_errors: 5)
    everybody = [server.roster.mold, *server.roster.ready_workers]
    candidates = []
    server.operations.refork
    lose_all_children_until(server) { (candidates |= [server.roster.candidate].compact).size == 10 }

    assert_equal everybody, [server.roster.mold, *server.roster.ready_workers]
    assert_nil server.roster.give_up_reason
  end

  test "trials that are killed may be one too many for the machine: the next one takes another's place" do
    server = settled_server(refork_backoff: 0)
    server.operations.refork
    most = Coppice::Monitor::RolloutBudget::FAILED_FORKS
    killed = []
    run_until(server) do
      trial = server.roster.trial&.pid
      server.system.signal(trial, :KILL) if trial && killed.size < most && (killed |= [trial])
      server.roster.generation == 1
    end

    assert_equal most, killed.size
    assert_operator server.roster.ready_workers.map(&:nr).max, :<, 4
  end

  test "a mold that took a lost one's place, and whose workers all fail, is replaced by a cold one" do
    server = settled_server
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle
    barren = server.roster.mold
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(server) { server.roster.mold.nil? }
    server.system.advance(60)
    server.settle

    assert_predicate barren, :gone?
    assert_predicate server.roster.mold, :cold?
    assert_equal 4, server.roster.ready_workers.size
  end

  test "failures before a mold took a lost one's place are not its own" do
    server = settled_server
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(server) { server.roster.spawns.failures == 3 }
    lost = server.roster.mold
    server.system.signal(lost.pid, :KILL)
    run_until(server) { lost.gone? && server.roster.mold }
    successor = server.roster.mold
    server.system.advance(10)
    server.settle

    assert_same successor, server.roster.mold
    assert_equal 4, server.roster.ready_workers.size
  end

  test "warm molds that are lost whenever they fork are replaced by a cold one" do
    server = settled_server(refork_backoff: 0)
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    server.after_turn do
      mold = server.roster.workers.find(&:requested?)&.parent
      server.system.signal(mold.pid, :KILL) if mold && !mold.cold?
      server.system.advance(1)
    end
    run_until(server) { server.roster.mold&.cold? }
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  test "a mold that has proven itself stays, whatever happens to its workers afterwards" do
    server = settled_server
    server.operations.refork
    server.settle
    mold = server.roster.mold
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    lose_all_children_until(server) { server.roster.spawns.failures == 10 }

    assert_same mold, server.roster.mold
  end

  test "an application that cannot be booted at the start ends the server" do
    server = server_of(log: log = RecordingLog.new)
    server.turn
    server.process_of(server.roster.candidate).broken = true
    server.settle

    assert_equal "the application could not be booted", server.roster.give_up_reason
    refute_includes log.saying("mold abandoned").first.last, :again_in
    assert_predicate server.supervision, :finished?
  end
end
