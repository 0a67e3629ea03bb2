# frozen_string_literal: true

require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# Which worker is promoted.
class TemplateTest < SupervisionTestCase
  test "where one worker compiles for all, it is promoted, and after that the one that served most" do
    server = settled_server
    lead = server.roster.ready_workers.find { |worker| worker.nr.zero? }
    server.roster.ready_workers.each { |worker| worker.row.requests = worker.equal?(lead) ? 5 : 50 }
    lead.row.compiles = 1
    server.operations.refork
    server.turn

    assert_same lead, server.roster.candidate.parent
    server.settle
    server.roster.ready_workers.each { |worker| worker.row.compiles = 1 }
    warmest = server.roster.ready_workers.last.tap { |worker| worker.row.requests = 7 }

    assert_same warmest, Coppice::Monitor::Promotion.new(server.settings).template(server.roster)
  end

  test "a lead worker that must not be forked is passed over" do
    server = settled_server
    lead = server.roster.ready_workers.first
    lead.row.compiles = lead.row.not_fork_safe = 1
    server.operations.refork
    server.turn

    refute_same lead, server.roster.candidate.parent
  end

  test "a refork waits for a fork-safe worker only if there is one, and the log says so" do
    waits = [1, 4].map do |unsafe|
      server = settled_server(log: log = RecordingLog.new)
      server.roster.ready_workers.first(unsafe).each { |worker| worker.row.requests = worker.row.not_fork_safe = 1 }
      server.operations.refork
      server.close

      log.saying("the refork waits").size
    end

    assert_equal [1, 0], waits
  end

  test "a worker that could not fork a mold is asked again only after all others, even if only it has served" do
    server = settled_server(refork_backoff: 10)
    served = server.roster.ready_workers.last.tap { |worker| worker.row.requests = 5 }
    server.operations.refork
    server.system.middle = :lost
    server.settle

    assert_equal [nil, 1], [server.roster.candidate, served.promotions]
    server.system.advance(10)
    server.turn

    refute_same served, server.roster.candidate.parent
  end
end
