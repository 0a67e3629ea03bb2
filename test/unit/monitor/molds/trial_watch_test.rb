# frozen_string_literal: true

require_relative "../../../support/fake_server_rolls"
require_relative "../../../support/supervision_test_case"

# How long the first worker of a new release is watched.
class TrialWatchTest < SupervisionTestCase
  include FakeServerRolls

  # How a canary of 20 s ends, and after how many. The block gets the first worker and another one each second.
  def canary_without_answers
    server = settled_server(canary: true, canary_time: 20)
    @server = nil
    roll(server, "/releases/2")
    trial = run_until_trial_is_ready(server)
    other = server.roster.ready_workers.find { |worker| !worker.equal?(trial) }
    seconds = (0..20).find do
      yield trial.row, other.row
      server.turn
      server.system.advance(1)
      server.roster.roll.decided?
    end
    [server.roster.roll.canary.reason, seconds]
  ensure
    server.close
  end

  test "a canary ends when nobody asks, and not before" do
    assert_equal ["only 0 of 200 requests, and nobody asks any more", 5], canary_without_answers { |*| nil }
    assert_equal ["only 0 of 200 requests in 20 s", 20], canary_without_answers { |_, other| other.count(:requests) }
  end

  test "a canary does not end before the last answer of the first worker does, but waits for no other one" do
    assert_equal 20, canary_without_answers { |trial, _| trial.started_ms = 1 }.last
    assert_equal 5, canary_without_answers { |_, other| other.started_ms = 1 }.last
  end
end
