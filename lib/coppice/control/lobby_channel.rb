# frozen_string_literal: true

require "coppice/control/channel"
require "coppice/control/lobby_packet"

module Coppice
  module Control
    # The monitor's end of the channel to the lobby. Its messages are LobbyPackets.
    class LobbyChannel < Channel
      private

      def encode(packet, _descriptors) = packet.to_s

      def decode(bytes, ios)
        raise ProtocolMismatch, "the lobby has sent descriptors" unless ios.empty?

        Packet.new(LobbyPacket.parse(bytes), {})
      end
    end
  end
end
