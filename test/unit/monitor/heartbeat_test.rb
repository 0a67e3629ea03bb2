# frozen_string_literal: true

require_relative "../../support/family_test_case"
require "coppice/listeners/address"

class HeartbeatTest < FamilyTestCase
  LIMIT = 5 + 15 + 22 # the beat, client_header_timeout, timeout and its cleanup

  # So long, with the monitor awake; whoever does not hang gives a sign of life meanwhile.
  def pass(family, seconds)
    seconds.times do
      family.system.advance(1.0)
      family.turn
    end
  end

  def hang(family)
    family.roster.ready_workers.first.tap { |worker| family.process_of(worker).hanging = true }
  end

  test "a worker that gives no sign of life is ended, and no other" do
    family = settled_family
    silent = hang(family)
    pass(family, LIMIT - 3)

    assert_nil silent.kill_reason
    pass(family, 6)

    assert_equal :unresponsive, silent.kill_reason
    family.settle

    assert_equal 4, family.roster.ready_workers.size
    refute_includes family.roster.ready_workers, silent
  end

  test "a loop that gives no sign of life is ended alone, and its successor counts anew" do
    family = settled_family(listen: [Coppice::Listeners::Address.parse(8080, lobby: true)])
    lobby = family.roster.lobby
    family.system.lobby.loop.hanging = true
    silent = lobby.pid
    pass(family, 9)

    assert_equal silent, lobby.pid
    pass(family, 4)

    assert_equal [[silent, :KILL]], family.system.signals
    family.settle
    pass(family, 60)

    assert_predicate lobby, :ready?
    assert_equal [[silent, :KILL]], family.system.signals
  end

  test "a request has a deadline of its own" do
    family = settled_family
    busy = hang(family)
    busy.row.deadline_ms = ((family.system.now + 1000) * 1000).to_i
    pass(family, LIMIT + 10)

    assert_nil busy.kill_reason
    busy.row.deadline_ms = 0
    pass(family, 10)

    assert_nil busy.kill_reason
  end

  test "time in which the monitor stood still as well does not count" do
    family = settled_family
    silent = hang(family)
    pass(family, 10)
    family.system.advance(100_000)
    family.turn
    pass(family, LIMIT - 15)

    assert_nil silent.kill_reason
    pass(family, 10)

    assert_equal :unresponsive, silent.kill_reason
  end
end
