# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# Processes that were spawned, and cannot be sent the message for which they wait.
class IntroductionTest < SupervisionTestCase
  test "a mold is given up at once, and the next one can be booted" do
    server = settled_server
    outcomes = [:mold, nil].map do |mute|
      server.system.mute = mute
      server.supervision.rolls.roll("/releases/2", asked_by: "uid 7")
      server.settle
      [server.roster.roll.outcome, server.roster.candidate]
    end

    assert_equal [[:given_up, nil], [:committed, nil]], outcomes
  end

  test "the mold of a server that has lost everybody is booted again within seconds" do
    server = settled_server
    [server.roster.mold, *server.roster.workers].each { |child| server.system.signal(child.pid, :KILL) }
    server.system.mute = :mold
    began = server.system.now
    until server.roster.ready_workers.size == 4
      server.settle
      server.system.advance(1)
    end

    assert_operator server.system.now - began, :<, 30
  end

  %i[lobby observer].each do |role|
    test "the #{role} is killed, and followed by another within seconds" do
      server = server_of(listen: [Coppice::Listeners::Address.parse(8080)],
                         admin_listen: [Coppice::Listeners::Address.parse("127.0.0.1:9293")])
      server.system.mute = role
      server.turn
      10.times do
        server.settle
        server.system.advance(1)
      end

      assert_equal [:KILL], server.system.signals.map(&:last).uniq
      assert_equal [true, true, 4], [server.roster.lobby.ready?, server.roster.observer.ready?,
                                     server.roster.ready_workers.size]
    end
  end
end
