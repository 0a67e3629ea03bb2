# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

class CapacityTest < SupervisionTestCase
  FILTERED = FakeSystem::Status.new(nil, 31).freeze # by SIGSYS

  # How many forks are asked of a mold that has not looked yet, when three of four workers are gone.
  def asked_at_once(server)
    server.roster.ready_workers.first(3).each { |worker| server.system.signal(worker.pid, :KILL) }
    4.times { server.turn }
    server.roster.workers.count(&:requested?)
  end

  test "the mold is asked for the next worker while it forks one, and for no more" do
    assert_equal 2, asked_at_once(settled_server)
  end

  test "after a worker that did not start the mold is asked for one at a time" do
    server = settled_server
    note_failures(server.roster.spawns, 1)

    assert_equal 1, asked_at_once(server)
  end

  test "a child whose channel cannot be watched leaves no row behind, and is forked a little later" do
    server = settled_server
    rows = server.board.rows_count
    server.roster.children.on_add = ->(_child) { raise Errno::ENOSPC }
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    server.settle
    server.roster.children.on_add = nil
    server.system.advance(server.roster.spawns.not_before - server.system.now)
    server.settle

    assert_equal [4, rows], [server.roster.ready_workers.size, server.board.rows_count]
  end

  test "a dead worker's slot is filled by a child of the current mold" do
    server = settled_server
    server.operations.refork
    server.settle
    victim = server.roster.ready_workers.find { |worker| worker.nr == 2 }
    server.system.advance(2)
    server.system.signal(victim.pid, :KILL)
    server.turn
    successor = server.roster.workers.find { |worker| worker.nr == 2 }

    assert_same server.roster.mold, successor.parent
    assert_equal 1, successor.generation
  end

  test "one more and one less: the highest slot comes and goes" do
    server = settled_server(worker_processes: 2)
    server.operations.resize(+1)
    server.settle

    assert_equal [0, 1, 2], server.roster.ready_workers.map(&:nr).sort
    server.operations.resize(-1)
    server.settle

    assert_equal [0, 1], server.roster.workers.map(&:nr).sort
  end

  test "there is always one worker" do
    server = settled_server(worker_processes: 1)

    server.operations.resize(-1)

    assert_equal 1, server.roster.target
  end

  test "a number of workers that stays the same is no change" do
    lines = []
    log = FakeServer::NullLog.new
    log.define_singleton_method(:info) { |message, **| lines << message }
    server = settled_server(worker_processes: 1, log: log)
    [-1, 0, +1].each { |difference| server.operations.resize(difference) }

    assert_equal [2, 1], [server.roster.wanted, lines.count("number of workers changed")]
  end

  test "a child that never gets ready is tried again after a pause that grows" do
    server = settled_server(worker_processes: 2)
    pauses = Array.new(3) do
      server.system.signal(server.roster.ready_workers.last.pid, :KILL) if server.roster.ready_workers.size == 2
      run_until(server) { server.roster.workers.any?(&:starting?) && server.roster.workers.find(&:starting?).pid }
      server.process_of(server.roster.workers.find(&:starting?)).broken = true
      run_until(server) { server.roster.workers.size == 1 }
      pause = server.roster.spawns.not_before - server.system.now
      server.system.advance(pause)
      pause
    end

    assert_equal pauses.sort.uniq, pauses
    assert_operator pauses.first, :>, 0
  end

  test "a worker that gets ready ends the count of errors" do
    server = settled_server(worker_processes: 2, max_consecutive_spawn_errors: 5)
    note_failures(server.roster.spawns, 4)
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    server.settle

    assert_equal 0, server.roster.spawns.failures
    assert_nil server.roster.give_up_reason
  end

  test "as many errors in a row as the user allows end the server" do
    server = settled_server(worker_processes: 2, max_consecutive_spawn_errors: 3)
    note_failures(server.roster.spawns, 3)
    server.turn

    assert_match(/3 children in a row/, server.roster.give_up_reason)
  end

  test "a lobby that a filter of system calls kills is lost until the user has had enough, and told why" do
    log = RecordingLog.new
    server = server_of(max_consecutive_spawn_errors: 3, log: log)
    run_until(server) do
      lobby = server.system.lobby
      [lobby&.keeper, lobby&.loop].compact.each { |part| server.system.die(part, FILTERED) }
      server.system.advance(1) # the pause before the next one
      server.roster.give_up_reason
    end

    assert_match(/the lobby was lost 3 times in a row/, server.roster.give_up_reason)
    assert_match(/allow seccomp/, log.saying("lobby exited").first.last.fetch(:remedy))
  end

  test "five workers in a row that fail to start are a warning, once" do
    log = RecordingLog.new
    server = settled_server(worker_processes: 1, log: log)
    note_failures(server.roster.spawns, 3)
    3.times do
      server.roster.ready_workers.each { |worker| server.system.signal(worker.pid, :KILL) }
      run_until(server) { server.roster.workers.any? { |worker| worker.starting? && worker.pid } }
      server.process_of(server.roster.workers.find(&:starting?)).broken = true
      run_until(server) { server.roster.workers.empty? }
      server.system.advance(6)
    end

    assert_equal [[:warn, 5]], log.saying("workers fail to start").map { |level, _, fields| [level, fields[:in_a_row]] }
  end

  test "a child that was reaped before anybody told its pid frees its slot" do
    server = settled_server
    victim = server.roster.ready_workers.last
    server.system.signal(victim.pid, :KILL)
    server.turn
    server.system.step(server.process_of(server.roster.mold))
    newborn = server.system.processes.values.last
    server.system.die(newborn, FakeSystem::Status.new(nil, 9))
    server.turn([]) # reaps before it hears
    server.turn

    assert_empty(server.roster.workers.select { |worker| worker.nr == victim.nr })
    server.system.advance(1)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
  end

  test "a child that was ready before its end has not failed to start, though it was reaped before it was heard" do
    server = settled_server(worker_processes: 2)
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    server.turn
    server.system.step(server.process_of(server.roster.mold))
    newborn = server.system.processes.values.last
    server.turn
    handle = server.roster.children.by_pid[newborn.pid]
    3.times { server.system.step(newborn) }
    server.system.die(newborn, FakeSystem::Status.new(0, nil))
    server.turn([])

    assert_equal [true, 0], [!handle.ready_at.nil?, server.roster.spawns.failures]
  end

  test "a child that nobody will ever reap is found out" do
    server = settled_server
    server.system.vanish(server.process_of(server.roster.ready_workers.first))
    server.settle
    server.system.advance(30)
    2.times { server.settle }

    assert_equal 4, server.roster.ready_workers.size
  end

  test "a worker that dies with its first breath is not replaced without a pause" do
    server = server_of(worker_processes: 1)
    run_until(server) { server.roster.ready_workers.any? }
    server.roster.ready_workers.first.row.requests = 0
    server.system.signal(server.roster.ready_workers.first.pid, :KILL)
    server.turn

    assert_operator server.roster.spawns.not_before, :>, server.system.now
  end
end
