# frozen_string_literal: true

require "test_helper"
require_relative "faults/in_lobby"
require_relative "server"
require_relative "victims"

class ChaosInLobbyTest < Coppice::TestCase
  LobbyServer = Struct.new(:parts_of_lobby)
  LobbyTarget = Struct.new(:server, :victims) do
    def hit(_name, pid, outcome, fault)
      victims.add(pid, outcome, fault)
      true
    end
  end

  test "a part of the lobby is not hit while the other one has still to die" do
    parts = { Chaos::Server::LOOP => 60, Chaos::Server::KEEPER => 61 }
    target = LobbyTarget.new(LobbyServer.new(parts), Chaos::Victims.new)

    assert Chaos::Faults::InLobby.new(:keeper, 0).inject(target)
    refute Chaos::Faults::InLobby.new(:crash, 0).inject(target)
    target.server.parts_of_lobby = { **parts, Chaos::Server::KEEPER => 62 }
    assert Chaos::Faults::InLobby.new(:crash, 0).inject(target)
  end
end
