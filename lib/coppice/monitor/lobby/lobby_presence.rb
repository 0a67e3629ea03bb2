# frozen_string_literal: true

require "coppice/control/lobby_packet"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides when there must be a lobby, which workers need a seat there because an earlier lobby was lost, and what
    # the lobby must be told. A server that is stopping gets no new lobby.
    class LobbyPresence
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.lobby_wanted

        lobby = roster.lobby
        leaving = roster.stopping && now >= roster.stop.exits_begin_at
        return spawn(roster, now, leaving) unless lobby

        seats = leaving ? [] : roster.unseated_workers.map { |worker| Steps::Reseat.new(worker) }
        seats + orders(roster, lobby, now)
      end

      private

      def spawn(roster, now, leaving)
        leaving || !roster.lobbies.over?(now) ? [] : [Steps::SpawnLobby.new]
      end

      def orders(roster, lobby, now)
        return [] unless lobby.ready? || lobby.leaving?

        due = wanted(roster, now).reject { |packet| lobby.orders.standing?(packet) }
        due.any? || lobby.orders.any? ? [Steps::TellLobby.new(lobby, due)] : []
      end

      def wanted(roster, now)
        roster.heir.look(roster, now)
        level = Control::LobbyPacket.of("log-level", roster.log_level)
        accept = Control::LobbyPacket.of("accept") if roster.listening
        closing = Control::LobbyPacket.of("closing") if roster.stopping
        [level, *roster.handshakes.packets(roster, now), *roster.heir.packets, accept, closing].compact
      end
    end
  end
end
