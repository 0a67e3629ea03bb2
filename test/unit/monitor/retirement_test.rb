# frozen_string_literal: true

require_relative "../../support/family_test_case"

# What becomes of children that report TERM.
class RetirementTest < FamilyTestCase
  def term(family, handle) = family.system.report_term(family.process_of(handle))

  test "a worker that got TERM serves on for a second, then it alone is replaced" do
    family = settled_family
    worker, *others = family.roster.ready_workers
    term(family, worker)
    family.settle
    family.system.advance(0.9)
    family.settle

    assert_predicate worker, :ready?
    family.system.advance(0.2)
    family.settle

    assert_predicate worker, :gone?
    assert_equal others, family.roster.ready_workers & others
    assert_equal [0, 1, 2, 3], family.roster.ready_workers.map(&:nr).sort
  end

  test "a mold that got TERM alone is replaced, and no worker is" do
    family = settled_family
    workers = family.roster.ready_workers
    mold = family.roster.mold
    term(family, mold)
    family.turn
    family.system.advance(1.1)
    family.settle

    assert_predicate mold, :gone?
    assert_predicate family.roster.mold, :ready?
    assert_equal workers, family.roster.ready_workers
  end

  test "where every process got TERM, all serve until the delay is over" do
    family = settled_family
    family.roster.handles.each { |handle| term(family, handle) unless handle.lobby? } # the lobby ignores it
    family.turn
    family.system.advance(0.9)
    family.supervision.stop(:gracefully, delay: 5)
    family.system.advance(4.9)
    family.settle

    assert_equal 4, family.roster.ready_workers.size
    family.system.advance(0.2)
    family.settle

    assert_predicate family.supervision, :finished?
  end
end
