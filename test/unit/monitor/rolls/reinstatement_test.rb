# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/recording_log"
require_relative "../../../support/supervision_test_case"

# A rollback to a mold that was kept waits for nothing of the release that it takes back.
class ReinstatementTest < SupervisionTestCase
  include FakeServerRolls

  WARM = { warm_up_requests: ["/"].freeze }.freeze

  # One turn after the rollback the kept mold is the mold, and nothing of the other release is waited for.
  def assert_reinstated_at_once(server)
    kept = server.roster.kept
    roll_back(server)
    server.turn

    assert_same kept, server.roster.mold
    assert_equal [nil, false, :committed],
      [server.roster.candidate, server.roster.rehearsing?, server.roster.roll.outcome]
    server.settle

    assert_equal [[1], 4], [releases_of(server.roster.ready_workers), server.roster.ready_workers.size]
    assert_equal [kept], server.roster.handles.select(&:mold?)
  end

  test "it ends the rehearsal of the release that it takes back" do
    server = rolled_server(**WARM)
    run_until(server) { server.roster.rehearsal&.pid }
    server.process_of(server.roster.rehearsal).hanging = true

    assert_reinstated_at_once(server)
  end

  test "it gives up the mold that the rehearsed worker is to fork" do
    server = rolled_server(**WARM)
    run_until(server) { server.roster.candidate }

    assert_nil server.roster.candidate.pid
    assert_reinstated_at_once(server)
    assert_equal "its release is taken back", server.roster.succession.abandoned_for
  end

  test "it gives up a mold that was forked and has not proved itself" do
    server = rolled_server(**WARM)
    run_until(server) { server.roster.trial }

    assert_reinstated_at_once(server)
  end

  test "it gives up the mold of a refork, and the worker on trial" do
    server = rolled_server
    server.settle
    server.operations.refork
    run_until_trial_is_ready(server)

    assert_reinstated_at_once(server)
  end

  test "that its user has given up a promotion is no error" do
    log = RecordingLog.new
    server = rolled_server(log: log)
    server.settle
    server.operations.refork
    run_until_trial_is_ready(server)

    assert_reinstated_at_once(server)
    level, _, fields = log.saying("mold abandoned").first

    assert_equal [:info, "its release is taken back", false], [level, fields[:why], fields.key?(:again_in)]
  end

  test "it does not wait until the mold of the running release is replaced" do
    server = rolled_server
    server.settle
    server.system.signal(server.roster.mold.pid, :KILL)
    run_until(server) { server.roster.mold.nil? && server.roster.candidate }

    assert_reinstated_at_once(server)
  end
end
