# frozen_string_literal: true

require "coppice/stats"
require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# A worker that is told to fork a mold finds that it must not be forked.
class RefusedPromotionTest < SupervisionTestCase
  # A settled server whose workers have served, the first one most. The warmest `refusing` of them will refuse.
  def server_with(refusing:, **settings)
    @log = RecordingLog.new
    settled_server(log: @log, **settings).tap do |server|
      server.roster.ready_workers.each { |worker| worker.row.requests = 100 - worker.nr }
      refuse(server, server.roster.ready_workers.min_by(refusing, &:nr))
    end
  end

  def refuse(server, workers) = workers.each { |worker| server.process_of(worker).refuses = true }

  def stats(server) = Coppice::Stats.new(server.board).to_h

  test "the next-warmest worker is tried at once, and nothing has failed" do
    server = server_with(refusing: 2)
    server.operations.refork
    before = server.system.now
    server.settle

    assert_equal [1, before], [server.roster.generation, server.system.now]
    assert_equal [0, 0], [server.roster.succession.abandonments, server.roster.reforks.failures]
    assert_equal [[0, 3], [1, 2]],
      @log.saying("promotion refused").map { |line| line.last.values_at(:nr, :fork_safe_workers) }
    assert_empty @log.errors
  end

  test "it is no exit and no promotion in the figures" do
    server = server_with(refusing: 1)
    server.operations.refork
    server.settle

    assert_equal [[1, 1, "committed"], [0, -1, "committed"]],
      stats(server)[:promotions].map { |one| [one[:generation], one[:template_slot] || -1, one[:outcome]] }
    assert_equal 0, stats(server)[:reforks].sum { |entry| entry[:outcome] == "abandoned" ? entry[:count] : 0 }
    assert(stats(server)[:recent_exits].none? { |exit| exit[:role] == "mold" && exit[:pid].nil? })
  end

  test "when none is left the refork that a user wants is given up, and a later one is made when there is one again" do
    server = server_with(refusing: 4)
    server.operations.refork
    server.settle

    assert_equal [0, false], [server.roster.generation, server.roster.succession.asked]
    assert_equal [[:warn, "refork given up", { why: "no worker is fork-safe" }]], @log.saying("refork given up")
    assert_empty @log.errors
    server.system.die(server.process_of(server.roster.ready_workers.last), FakeSystem::Status.new(nil, 9))
    server.settle
    server.roster.ready_workers.last.row.requests = 1
    server.operations.refork
    server.settle

    assert_equal 1, server.roster.generation
  end

  test "the only worker that is fork-safe is promoted, though it has failed before and others have served as well" do
    server = server_with(refusing: 0)
    first, *others = server.roster.ready_workers.sort_by(&:nr)
    others.each { |worker| worker.row.not_fork_safe = 1 }
    first.promotions = 1
    server.operations.refork
    server.settle

    assert_equal 1, server.roster.generation
  end

  { "refuses now" => false, "was known to" => true }.each do |title, known|
    test "a refork waits for a worker that has served, where the only one that has #{title}" do
      server = server_with(refusing: 0)
      first, *others = server.roster.ready_workers.sort_by(&:nr)
      others.each { |worker| worker.row.requests = 0 }
      known ? first.row.not_fork_safe = 1 : refuse(server, [first])
      server.operations.refork
      server.settle
      assert_equal [0, true], [server.roster.generation, server.roster.succession.asked]

      others.last.row.requests = 1
      server.settle
      assert_equal 1, server.roster.generation
    end
  end

  test "a refork by a count is tried with each worker once" do
    server = server_with(refusing: 4, refork_after: [50])
    server.settle

    assert_equal [0, 4], [server.roster.generation, @log.saying("promotion refused").size]
    assert_empty @log.errors
  end

  test "a lost mold is replaced from the next-warmest worker" do
    server = server_with(refusing: 1)
    server.system.signal(server.roster.mold.pid, :KILL)
    server.settle

    refute_predicate server.roster.mold, :cold?
    assert_equal 0, server.roster.succession.abandonments
  end

  test "a worker that is killed while it is to fork has not refused" do
    server = server_with(refusing: 0)
    server.operations.refork
    server.system.middle = :stuck
    server.settle
    parent = server.roster.candidate.parent
    parent.row.not_fork_safe = 1
    server.system.die(server.process_of(parent), FakeSystem::Status.new(nil, 9))
    server.turn
    server.system.advance(server.settings.longest_turn + server.settings.spawn_timeout + 1)
    server.turn

    assert_empty @log.saying("promotion refused")
    assert_equal 1, @log.saying("mold abandoned").size
  end
end
