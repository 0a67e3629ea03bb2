# frozen_string_literal: true

require_relative "../../support/family_test_case"

class MonitorGuestsTest < FamilyTestCase
  def start(family)
    client = family.start_guest
    family.settle
    family.process_of(client.handle).hanging = true # deaf to HUP
    client
  end

  test "the mold forks a guest, which counts as no worker" do
    family = settled_family(guests: 2, worker_processes: 2)
    client = start(family)

    assert_predicate client.handle, :ready?
    assert_equal [client.handle], family.roster.guests
    assert_equal 2, family.roster.workers.size
  end

  { { guests: 1 } => /1 guests already/, { guests: false } => /allows no guests/,
    { worker_processes: 2 } => /allows no guests/ }.each do |settings, complaint|
    test "with #{settings} the next one is refused" do
      family = settled_family(**settings)
      start(family) if settings[:guests]

      assert_match complaint, assert_raises(Coppice::Error) { start(family) }.message
    end
  end

  test "without a mold that is ready there are none" do
    assert_match(/no mold is ready/, assert_raises(Coppice::Error) { start(family_of(guests: 1)) }.message)
  end

  test "a guest whose client has gone gets HUP, and KILL later" do
    family = settled_family(guests: 1)
    client = start(family)
    client.leave
    family.turn

    assert_equal :client_gone, client.handle.kill_reason
    assert_equal [:HUP, :CONT], signals_to(family, client)
    family.system.advance(Coppice::Monitor::Guests::HANG_UP_SECONDS)
    family.turn

    assert_equal :KILL, signals_to(family, client).last
  end

  test "a guest is told to exit after its time" do
    family = settled_family(guests: 1, guest_timeout: 10)
    client = start(family)
    deadline_ms = ((client.handle.ready_at + 10) * 1000).to_i
    assert_equal [1000, 123, deadline_ms],
      [client.handle.row.client_uid, client.handle.row.client_pid, client.handle.row.guest_deadline_ms]
    family.system.advance(9)
    family.turn
    assert_nil client.handle.kill_reason
    family.system.advance(1)
    family.turn

    assert_equal :guest_timeout, client.handle.kill_reason
  end

  test "a refork leaves a guest alone; a stop tells it, and waits for it" do
    family = settled_family(guests: 1)
    client = start(family)
    family.supervision.refork
    family.settle

    assert_equal [1, nil], [family.roster.generation, client.handle.kill_reason]
    family.supervision.stop_gracefully
    family.turn

    assert_equal [:HUP, :CONT], signals_to(family, client)
    refute_predicate family.supervision, :finished?
  end

  def signals_to(family, client) = family.system.signals.select { |pid, _| pid == -client.handle.pid }.map(&:last)
end
