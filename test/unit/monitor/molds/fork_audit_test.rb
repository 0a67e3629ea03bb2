# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# What the monitor does with the findings of a trial.
class ForkAuditTest < SupervisionTestCase
  include FakeServerRolls

  FINDING = [:shared_connection, "tcp 127.0.0.1:5432", "descriptor 9"].freeze

  def setup
    @log = RecordingLog.new
  end

  # A settled server that is asked for a refork, in which each audit finds the same.
  def reforking_server(**settings)
    settled_server(log: @log, **settings).tap do |server|
      server.system.audit_findings = [FINDING]
      server.roster.ready_workers.each { |worker| worker.row.requests = 10 }
      server.operations.refork
      server.settle
    end
  end

  def logged(text) = @log.saying(text)

  test "with :warn a finding is logged and the candidate is committed" do
    server = reforking_server(fork_audit: :warn)

    assert_equal 1, server.roster.generation
    assert_equal [:warn, "fork audit: processes share a connection"], logged("fork audit").first.take(2)
    assert_equal "tcp 127.0.0.1:5432", logged("fork audit").first.last[:owner]
    assert_equal 0, server.board.refused_commits
  end

  test "with :refuse the candidate is abandoned, and the old generation goes on serving" do
    server = reforking_server(fork_audit: :refuse)

    assert_equal 0, server.roster.generation
    assert_equal [0], server.roster.ready_workers.map(&:generation).uniq
    assert_equal 4, server.roster.ready_workers.size
    assert_equal 1, server.board.refused_commits
    abandoned = logged("mold abandoned").first.last
    assert_match(/fork audit/, abandoned[:why])
    assert_equal server.settings.refork_backoff, abandoned[:again_in]
  end

  test "after the pause the next worker is tried, and its mold is committed when nothing is found" do
    server = reforking_server(fork_audit: :refuse)
    refused = server.roster.ready_workers.find { |worker| worker.promotions.positive? }
    server.system.audit_findings = []
    server.system.advance(server.settings.refork_backoff + 1)
    server.turn

    refute_same refused, server.roster.candidate.parent
    server.settle

    assert_equal 1, server.roster.generation
    assert_equal 1, server.board.refused_commits
  end

  test "a finding is logged once for each kind and owner, and counted each time" do
    server = reforking_server(fork_audit: :refuse)
    server.system.audit_findings = [FINDING.first(2) + ["descriptor 11"], [:missing_thread, "poller app.rb:3", nil]]
    found = server.board.audit_findings
    server.system.advance(server.settings.refork_backoff + 1)
    server.settle

    assert_equal 2, logged("fork audit: ").size
    assert_operator server.board.audit_findings, :>=, found + 2
  end

  test "a boot is never refused" do
    server = server_of(log: @log, fork_audit: :refuse)
    server.system.audit_findings = [FINDING]
    server.settle

    assert_equal 4, server.roster.ready_workers.size
    assert_equal 1, logged("fork audit: processes share").size
  end

  test "a release that fails the audit is given up, and the one before serves on" do
    server = settled_server(log: @log, fork_audit: :refuse)
    server.system.audit_findings = [FINDING]
    roll(server, "/releases/2")
    server.settle

    assert_equal [1], releases_of(server.roster.ready_workers)
    assert_equal [1, 4], [server.board.refused_commits, server.roster.ready_workers.size]
    assert_match(/fork audit: 1 found/, server.board.release_record(2).reason)
    refute_includes logged("mold abandoned").first.last, :again_in
  end

  test "a cold mold that replaces a grown one is never refused" do
    server = settled_server(fork_audit: :refuse, cold_boot_after_growth: "10%")
    server.system.mold_growth_kib = 50_000
    1000.times do
      server.system.audit_findings = server.roster.candidate&.cold? ? [FINDING] : []
      server.roster.ready_workers.each { |worker| worker.row.requests += 10 }
      server.operations.refork unless server.roster.candidate
      server.system.advance(1)
      server.settle(rounds: 1)
      break if server.roster.mold.cold? && server.roster.generation.positive?
    end

    assert_predicate server.roster.mold, :cold?
    assert_equal 0, server.board.refused_commits
  end

  test "a lost mold is replaced whatever was found" do
    server = settled_server(fork_audit: :refuse)
    server.system.audit_findings = [FINDING]
    server.system.die(server.process_of(server.roster.mold), FakeSystem::Status.new(nil, 9))
    server.settle

    assert_predicate server.roster.mold, :ready?
    refute_predicate server.roster.mold, :cold?
  end
end
