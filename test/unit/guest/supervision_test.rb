# frozen_string_literal: true

require_relative "../../support/supervision_test_case"

class GuestSupervisionTest < SupervisionTestCase
  def start(server)
    client = server.start_guest
    server.settle
    server.process_of(client.handle).hanging = true # deaf to HUP
    client
  end

  test "the mold forks a guest, which counts as no worker" do
    server = settled_server(guests: 2, worker_processes: 2)
    client = start(server)

    assert_predicate client.handle, :ready?
    assert_equal [client.handle], server.guests
    assert_equal 2, server.roster.workers.size
  end

  { { guests: 1 } => /1 guests already/, { guests: false } => /allows no guests/,
    { worker_processes: 2 } => /allows no guests.*`guests 1`.*roll/ }.each do |settings, complaint|
    test "with #{settings} the next one is refused" do
      server = settled_server(**settings)
      start(server) if settings[:guests]

      assert_match complaint, assert_raises(Coppice::Error) { start(server) }.message
    end
  end

  test "without a mold that is ready there are none" do
    assert_match(/no mold is ready/, assert_raises(Coppice::Error) { start(server_of(guests: 1)) }.message)
  end

  test "a guest whose client has gone gets HUP, and KILL later" do
    server = settled_server(guests: 1)
    client = start(server)
    client.leave
    server.turn

    assert_equal :client_gone, client.handle.kill_reason
    assert_equal [:HUP, :CONT], signals_to(server, client)
    server.system.advance(Coppice::Guest::Supervision::HANG_UP_SECONDS)
    server.turn

    assert_equal :KILL, signals_to(server, client).last
  end

  # Its process is there, and does not handle signals yet.
  def forked(server)
    server.start_guest.tap do
      server.system.step(server.process_of(server.roster.mold))
      server.turn
    end
  end

  test "signals wait in their order until the guest handles them" do
    server = settled_server(guests: 1)
    client = forked(server)
    %i[STOP CONT INT].each { |name| server.operations.signal(client.handle, name) }
    server.turn
    assert_equal [true, []], [!client.handle.pid.nil?, signals_to(server, client)]
    run_until(server) { client.handle.handles_signals? }
    server.turn

    assert_equal %i[STOP CONT INT], signals_to(server, client)
    assert_empty client.handle.kept_signals
  end

  test "a guest whose client has gone before it handles signals gets HUP later" do
    server = settled_server(guests: 1)
    client = server.start_guest
    client.leave
    server.turn
    server.settle

    assert_equal [:client_gone, %i[HUP CONT]], [client.handle.kill_reason, signals_to(server, client)]
    assert_predicate client.handle, :gone?
  end

  test "a guest is told to exit after its time" do
    server = settled_server(guests: 1, guest_timeout: 10)
    client = start(server)
    deadline_ms = ((client.handle.ready_at + 10) * 1000).to_i
    assert_equal [1000, 123, deadline_ms],
      [client.handle.row.client_uid, client.handle.row.client_pid, client.handle.row.guest_deadline_ms]
    server.system.advance(9)
    server.turn
    assert_nil client.handle.kill_reason
    server.system.advance(1)
    server.turn

    assert_equal :guest_timeout, client.handle.kill_reason
  end

  test "a refork leaves a guest alone; a stop tells it, and waits for it" do
    server = settled_server(guests: 1)
    client = start(server)
    server.operations.refork
    server.settle

    assert_equal [1, nil], [server.roster.generation, client.handle.kill_reason]
    server.operations.stop_gracefully
    server.turn

    assert_equal [:HUP, :CONT], signals_to(server, client)
    refute_predicate server.supervision, :finished?
  end

  def signals_to(server, client) = server.system.signals.select { |pid, _| pid == -client.handle.pid }.map(&:last)
end
