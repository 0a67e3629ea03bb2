# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

# What is noticed of an exit when CHLD has not come: a hook may have taken its handler.
class ExitWatchTest < SupervisionTestCase
  KILLED = FakeSystem::Status.new(nil, 9)

  def setup
    @server = settled_server
    @server.turn
    @worker = @server.roster.ready_workers.first
    @server.system.die(@server.process_of(@worker), KILLED)
  end

  test "the kernel is asked when CHLD has come" do
    @server.turn([], signalled: false)

    refute_predicate @worker, :gone?
    @server.turn([])

    assert_predicate @worker, :gone?
  end

  test "the end of a channel is reason enough to ask" do
    @server.turn([@worker], signalled: false)

    assert_predicate @worker, :gone?
  end

  test "what nobody tells of is found after a while" do
    @server.system.advance(Coppice::Monitor::ExitWatch::EXITS_PAUSE)
    @server.turn([], signalled: false)

    assert_predicate @worker, :gone?
  end
end
