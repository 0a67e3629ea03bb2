# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"
require "coppice/listeners/address"

# The CPU time of the lobby's processes that have exited: none is lost, and none is counted twice.
class LobbyCPUTimeTest < SupervisionTestCase
  CPU_US = 7

  def settled
    settled_server(listen: [Coppice::Listeners::Address.parse(8080)]).tap { |server| server.system.cpu_us = CPU_US }
  end

  def lose(server, part)
    server.system.die(server.system.lobby.public_send(part), FakeSystem::Status.new(nil, 11))
  end

  # What the lobby's row has, and the record of all processes without a slot.
  def noted(server) = [server.roster.lobby.row, server.board.slot].map(&:cpu_us)

  test "that of a lost loop is in its row until that is the successor's" do
    server = settled
    lose(server, :loop)
    server.turn

    assert_equal [CPU_US, 0], noted(server)
    server.settle
    assert_predicate server.roster.lobby, :ready?
    assert_equal [0, CPU_US], noted(server)
  end

  test "that of a lost loop is noted when its successor registers before the monitor has looked for exits" do
    server = settled
    server.system.define_singleton_method(:exited_children) { |_known| [] }
    lose(server, :loop)
    2.times { server.system.step(server.system.lobby.keeper) }
    2.times { server.system.step(server.system.lobby.loop) }
    server.turn

    assert_equal server.system.lobby.loop.pid, server.roster.lobby.row.pid
    assert_equal [0, CPU_US], noted(server)
  end

  test "that of a lost keeper is not in the loop's row" do
    server = settled
    lose(server, :keeper)
    server.turn

    assert_equal [0, CPU_US], noted(server)
  end
end
