# frozen_string_literal: true

require_relative "../../support/family_test_case"

# What the monitor does with the findings of a trial.
class ForkAuditTest < FamilyTestCase
  FINDING = [:shared_connection, "tcp 127.0.0.1:5432", "descriptor 9"].freeze

  # In the place of Coppice::Log: keeps what was logged.
  class Lines < FakeFamily::Silence
    def lines = @lines ||= []
    def warn(message, **fields) = lines << [:warn, message, fields]
    def error(message, **fields) = lines << [:error, message, fields]
  end

  def setup
    @log = Lines.new
  end

  # A settled family that is asked for a refork, in which each audit finds the same.
  def reforking_family(**settings)
    settled_family(log: @log, **settings).tap do |family|
      family.system.audit_findings = [FINDING]
      family.roster.ready_workers.each { |worker| worker.row.requests = 10 }
      family.supervision.refork
      family.settle
    end
  end

  def logged(text) = @log.lines.select { |_, message, _| message.include?(text) }

  test "with :warn a finding is logged and the candidate is committed" do
    family = reforking_family(fork_audit: :warn)

    assert_equal 1, family.roster.generation
    assert_equal [:warn, "fork audit: processes share a connection"], logged("fork audit").first.take(2)
    assert_equal "tcp 127.0.0.1:5432", logged("fork audit").first.last[:owner]
    assert_equal 0, family.board.refused_commits
  end

  test "with :refuse the candidate is abandoned, and the old generation goes on serving" do
    family = reforking_family(fork_audit: :refuse)

    assert_equal 0, family.roster.generation
    assert_equal [0], family.roster.ready_workers.map(&:generation).uniq
    assert_equal 4, family.roster.ready_workers.size
    assert_equal 1, family.board.refused_commits
    abandoned = logged("mold abandoned").first.last
    assert_match(/fork audit/, abandoned[:why])
    assert_equal family.settings.refork_backoff, abandoned[:again_in]
  end

  test "after the pause the next worker is tried, and its mold is committed when nothing is found" do
    family = reforking_family(fork_audit: :refuse)
    refused = family.roster.ready_workers.find { |worker| worker.promotions.positive? }
    family.system.audit_findings = []
    family.system.advance(family.settings.refork_backoff + 1)
    family.turn

    refute_same refused, family.roster.candidate.parent
    family.settle

    assert_equal 1, family.roster.generation
    assert_equal 1, family.board.refused_commits
  end

  test "a finding is logged once for each kind and owner, and counted each time" do
    family = reforking_family(fork_audit: :refuse)
    family.system.audit_findings = [FINDING.first(2) + ["descriptor 11"], [:missing_thread, "poller app.rb:3", nil]]
    found = family.board.audit_findings
    family.system.advance(family.settings.refork_backoff + 1)
    family.settle

    assert_equal 2, logged("fork audit: ").size
    assert_operator family.board.audit_findings, :>=, found + 2
  end

  test "a boot is never refused" do
    family = family_of(log: @log, fork_audit: :refuse)
    family.system.audit_findings = [FINDING]
    family.settle

    assert_equal 4, family.roster.ready_workers.size
    assert_equal 1, logged("fork audit: processes share").size
  end

  test "a cold mold that replaces a grown one is never refused" do
    family = settled_family(fork_audit: :refuse, cold_boot_after_growth: "10%")
    family.system.mold_growth_kib = 50_000
    1000.times do
      family.system.audit_findings = family.roster.candidate&.cold? ? [FINDING] : []
      family.roster.ready_workers.each { |worker| worker.row.requests += 10 }
      family.supervision.refork unless family.roster.candidate
      family.system.advance(1)
      family.settle(rounds: 1)
      break if family.roster.mold.cold? && family.roster.generation.positive?
    end

    assert_predicate family.roster.mold, :cold?
    assert_equal 0, family.board.refused_commits
  end

  test "a lost mold is replaced whatever was found" do
    family = settled_family(fork_audit: :refuse)
    family.system.audit_findings = [FINDING]
    family.system.die(family.process_of(family.roster.mold), FakeSystem::Status.new(nil, 9))
    family.settle

    assert_predicate family.roster.mold, :ready?
    refute_predicate family.roster.mold, :cold?
  end
end
