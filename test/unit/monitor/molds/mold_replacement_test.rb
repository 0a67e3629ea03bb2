# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# What takes the place of a lost mold.
class MoldReplacementTest < SupervisionTestCase
  test "a lost mold is replaced from the warmest worker, and nobody else is touched" do
    server = settled_server
    workers = server.roster.ready_workers
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle

    assert_equal workers, server.roster.ready_workers
    refute_predicate server.roster.mold, :cold?
    assert_equal 0, server.roster.generation
  end

  test "what a lost mold had yet to fork is a warning that names the mold" do
    server = settled_server(log: log = RecordingLog.new)
    server.system.signal(server.roster.ready_workers.last.pid, :KILL)
    4.times { server.turn } # so that the mold is asked, and has not looked yet
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle
    never_forked = log.lines.select { |_, _, fields| fields[:why] == :never_forked }

    assert_equal [[:warn, "mold gen=0 exited before the fork"]],
      never_forked.map { |level, _, fields| [level, fields[:reason]] }
  end

  test "a lost mold is replaced by a cold boot where no worker may be forked" do
    server = settled_server
    server.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle

    assert_predicate server.roster.mold, :cold?
    assert_nil server.roster.give_up_reason
  end

  test "after a replacement that failed the next one is a cold boot, and not before the back-off" do
    server = settled_server(refork_backoff: 10)
    server.system.signal(server.roster.mold.pid, :KILL)
    run_until(server) { server.roster.candidate&.pid }
    server.process_of(server.roster.candidate).broken = true
    server.settle

    assert_nil server.roster.candidate
    server.system.advance(9)
    server.turn

    assert_nil server.roster.candidate
    server.system.advance(2)
    server.turn

    assert_predicate server.roster.candidate, :cold?
  end

  # Loses the mold of a release that cannot be booted again, and the first copy of a worker in its place.
  def lose_mold_and_directory(server)
    server.missing = ["/releases/1"]
    server.system.signal(server.roster.mold.pid, :KILL)
    run_until(server) { server.roster.candidate&.pid }
    server.process_of(server.roster.candidate).broken = true
    server.settle
  end

  test "where the directory of the release is gone, a worker is promoted after a cold boot that failed" do
    server = settled_server(refork_backoff: 10)
    lose_mold_and_directory(server)
    server.system.advance(11)
    server.turn

    assert_equal [2, server.system.now + 10],
                 [server.roster.replacements.failures, server.roster.replacements.not_before]
    server.system.advance(11)
    server.settle

    assert_predicate server.roster.mold, :ready?
    refute_predicate server.roster.mold, :cold?
  end

  test "a rehearsal that is due ends with the cold boot that failed" do
    server = settled_server
    server.missing = ["/releases/1"]
    server.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 }
    server.system.signal(server.roster.mold.pid, :KILL)
    server.roster.succession.rehearsal_due = true
    server.turn

    refute_predicate server.roster, :rehearsing?
  end

  test "a cold boot beside a mold that serves fails without a pause for what replaces a lost one" do
    server = settled_server(refork_backoff: 10, cold_boot_after_growth: "10%")
    server.missing = ["/releases/1"]
    server.system.advance(Coppice::Monitor::LeakWatch::WARM_UP)
    server.system.mold_growth_kib = 50_000
    5.times do
      server.operations.refork
      server.settle
    end

    assert_equal [0, server.system.now + 10],
                 [server.roster.replacements.failures, server.roster.reforks.not_before]
  end

  test "a lost mold is replaced at once, also in the back-off after a refork that failed" do
    server = settled_server
    server.roster.reforks.wait_until(server.system.now + 1000)
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle

    assert_predicate server.roster.mold, :ready?
  end

  # Loses the mold so many seconds after it was ready; returns how long the next one took, and whether it is cold.
  def lose_mold(server, age)
    server.system.advance(age)
    server.system.signal(server.roster.mold.pid, :KILL)
    lost_at = server.system.now
    server.settle
    until server.roster.mold
      server.system.advance(0.1)
      server.settle
    end
    [(server.system.now - lost_at).round(1), server.roster.mold.cold?]
  end

  test "molds that are lost again and again soon after they were ready are replaced ever later, by turns cold" do
    server = settled_server

    assert_equal [[0, false], [0.2, true], [0.4, false], [0.8, true], [1.6, false]],
      Array.new(5) { lose_mold(server, 0.8) }
  end

  test "a mold that is lost after a while is replaced at once, also after others that were lost soon" do
    server = settled_server
    3.times { lose_mold(server, 0.8) }

    assert_equal [[0, false], [0, false], [0.2, true]], [11, 0.8, 0.8].map { |age| lose_mold(server, age) }
  end

  test "a mold that has lived for long ends the row, also where it was not lost" do
    server = settled_server
    lose_mold(server, 0.8)
    server.system.advance(11)
    server.operations.refork
    server.settle

    assert_equal [0, false], lose_mold(server, 0.8)
  end

  test "a mold that was told to exit is not lost" do
    server = settled_server
    3.times do
      server.operations.refork
      server.settle
    end

    assert_equal 0, server.roster.succession.early_losses.failures
  end

  # Loses the mold, and then the worker that is to replace it, before it has forked.
  def lose_mold_and_successor(server)
    server.system.signal(server.roster.mold.pid, :KILL)
    run_until(server) { server.roster.candidate }
    server.system.signal(server.roster.candidate.parent.pid, :KILL)
  end

  test "when the worker that is to replace a lost mold dies, the next warm worker is asked at once" do
    server = settled_server(refork_backoff: 1000)
    lose_mold_and_successor(server)
    server.settle

    assert_predicate server.roster.mold, :ready?
    refute_predicate server.roster.mold, :cold?
    assert_equal [0, 1, 2, 3], server.roster.ready_workers.map(&:nr).sort
  end

  test "replacements that are killed one after the other are not asked for without end" do
    server = settled_server(refork_backoff: 10, worker_processes: 8)
    server.system.signal(server.roster.mold.pid, :KILL)
    asked = []
    run_until(server) do
      candidate = server.roster.candidate
      asked |= [candidate].compact
      server.system.signal(candidate.pid, :KILL) if candidate&.pid
      server.roster.replacements.not_before > server.system.now
    end

    assert_equal Coppice::Monitor::Promotion::KILLED_IN_A_ROW + 1, asked.size
  end
end
