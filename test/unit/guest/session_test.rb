# frozen_string_literal: true

require_relative "../../support/supervision_test_case"
require "coppice/control/verbs"
require "coppice/guest/supervision"

# What the client of a guest is told, with a server that has no processes.
class GuestSessionTest < SupervisionTestCase
  def begin_session(server)
    peer = Coppice::Control::Endpoint::Peer.new(123, 1000)
    caller = Coppice::Monitor::ControlConnection::Caller.new(peer, [$stdin] * 4)
    @session = Coppice::Guest::Supervision.session(server.operations, caller)
  end

  def guest(server) = server.guests.first
  def signal(name) = @session.input.call("signal #{name}\n")
  def outcome = @session.poll.call

  test "a signal before the guest handles signals is its end" do
    server = settled_server(guests: 1)
    begin_session(server)
    signal("INT")
    assert_nil outcome
    server.settle

    assert_equal ["not begun", "killed INT"], outcome
  end

  test "a real-time signal, which has no name, is told by its number" do
    server = settled_server(guests: 1)
    begin_session(server)
    run_until(server) { guest(server).pid }
    server.system.die(server.process_of(guest(server)), FakeSystem::Status.new(nil, 40))
    server.settle

    assert_equal "killed 40", outcome.last
  end

  test "the second signal ends the wait for a guest that is not there, and the guest" do
    server = settled_server(guests: 1)
    server.process_of(server.roster.mold).hanging = true
    begin_session(server)
    %w[INT WINCH USR1].each { |name| signal(name) }
    assert_nil outcome
    signal("TERM")

    assert_equal ["not begun", "killed TERM"], outcome
    server.turn
    assert_equal :client_gone, guest(server).kill_reason
    server.process_of(server.roster.mold).hanging = false
    server.settle
    to_groups = server.system.signals.select { |pid, _| pid.negative? }.map(&:last)
    assert_equal [%i[INT WINCH USR1 TERM HUP CONT], nil], [to_groups, guest(server)]
  end

  test "a guest that is not ready in time is an error of the server's" do
    server = settled_server(guests: 1)
    begin_session(server)
    run_until(server) { guest(server).pid }
    server.process_of(guest(server)).hanging = true
    server.system.advance(server.settings.spawn_timeout + 1)
    2.times do
      server.turn
      server.system.advance(2)
    end
    server.turn

    assert_match(/not ready in time/, assert_raises(Coppice::Error) { outcome }.message)
  end
end
