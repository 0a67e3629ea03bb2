# frozen_string_literal: true

require_relative "../../support/family_test_case"

# Which worker is promoted.
class TemplateTest < FamilyTestCase
  test "where one worker compiles for all, it is promoted, and after that the one that served most" do
    family = settled_family
    lead = family.roster.ready_workers.find { |worker| worker.nr.zero? }
    family.roster.ready_workers.each { |worker| worker.row.requests = worker.equal?(lead) ? 5 : 50 }
    lead.row.compiles = 1
    family.supervision.refork
    family.turn

    assert_same lead, family.roster.candidate.parent
    family.settle
    family.roster.ready_workers.each { |worker| worker.row.compiles = 1 }
    warmest = family.roster.ready_workers.last.tap { |worker| worker.row.requests = 7 }

    assert_same warmest, Coppice::Monitor::Promotion.new(family.settings).template(family.roster)
  end

  test "a lead worker that must not be forked is passed over" do
    family = settled_family
    lead = family.roster.ready_workers.first
    lead.row.compiles = lead.row.not_fork_safe = 1
    family.supervision.refork
    family.turn

    refute_same lead, family.roster.candidate.parent
  end

  test "a worker that could not fork a mold is asked again only after all others, even if only it has served" do
    family = settled_family(refork_backoff: 10)
    served = family.roster.ready_workers.last.tap { |worker| worker.row.requests = 5 }
    family.supervision.refork
    family.system.middle = :lost
    family.settle

    assert_equal [nil, 1], [family.roster.candidate, served.promotions]
    family.system.advance(10)
    family.turn

    refute_same served, family.roster.candidate.parent
  end
end
