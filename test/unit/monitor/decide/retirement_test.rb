# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# What becomes of children that report TERM.
class RetirementTest < SupervisionTestCase
  def term(server, handle) = server.system.report_term(server.process_of(handle))

  test "a worker that got TERM serves on for a second, then it alone is replaced" do
    server = settled_server
    worker, *others = server.roster.ready_workers
    term(server, worker)
    server.settle
    server.system.advance(0.9)
    server.settle

    assert_predicate worker, :ready?
    server.system.advance(0.2)
    server.settle

    assert_predicate worker, :gone?
    assert_equal others, server.roster.ready_workers & others
    assert_equal [0, 1, 2, 3], server.roster.ready_workers.map(&:nr).sort
  end

  test "a mold that got TERM alone is replaced, and no worker is" do
    server = settled_server
    workers = server.roster.ready_workers
    mold = server.roster.mold
    term(server, mold)
    server.turn
    server.system.advance(1.1)
    server.settle

    assert_predicate mold, :gone?
    assert_predicate server.roster.mold, :ready?
    assert_equal workers, server.roster.ready_workers
  end

  test "where every process got TERM, all serve until the delay is over" do
    server = settled_server
    server.roster.handles.each { |handle| term(server, handle) unless handle.lobby? } # the lobby ignores it
    server.turn
    server.system.advance(0.9)
    server.operations.stop(:gracefully, delay: 5)
    server.system.advance(4.9)
    server.settle

    assert_equal 4, server.roster.ready_workers.size
    server.system.advance(0.2)
    server.settle

    assert_predicate server.supervision, :finished?
  end
end
