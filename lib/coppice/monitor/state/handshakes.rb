# frozen_string_literal: true

require "io/wait"
require "socket"
require "coppice/config/service_definition"
require "coppice/control/lobby_packet"

module Coppice
  class Monitor
    # The handshakes of WebSockets that the lobby passes to a service: the socket between the two. The monitor keeps
    # both ends, so that the first client can come before the service is there.
    class Handshakes
      attr_reader :service_end #: Socket? -- where their clients come; nil as long as no release wanted any

      # Takes what the configuration asks for, or else the application that this mold has loaded.
      #: (Config::Settings, ?Handle?) -> void
      def adopt(settings, mold = nil)
        path = mold&.row&.handshakes_path.to_s
        detected = settings.detects_websockets? && !path.empty?
        @detected = (Config::ServiceDefinition.detected(path) if detected)
        @definition = @detected || settings.services.find(&:path)
        @lobby_end, @service_end = Socket.pair(:UNIX, :SEQPACKET) if @definition && @lobby_end.nil?
      end

      # The service for them, in a list, where the configuration does not have it.
      #: () -> Array[Config::ServiceDefinition]
      def detected = [@detected].compact

      #: () -> bool
      def waiting? = !@service_end.nil? && !@service_end.wait_readable(0).nil?

      # Whether the service is to be forked now: for the first client, who ends the monitor's wait if none is there yet.
      # Where there is no lobby, none will come.
      #: () -> bool
      def await = waiting?.tap { |waiting| @awaited = @service_end unless waiting }

      # No client is awaited any more.
      #: () -> void
      def forget = @awaited = nil

      # What ends the monitor's wait.
      #: () -> Array[IO]
      def readers = [@awaited].compact

      # What the lobby is to know.
      #: (Roster, Float) -> Array[Control::LobbyPacket]
      def packets(roster, now)
        forget if roster.stopping # it forks nothing for a client
        return [] unless @lobby_end
        return [Control::LobbyPacket.of("no-handshakes")] unless @definition

        [Control::LobbyPacket.of("handshakes", @definition.path),
         Control::LobbyPacket.of("hold-handshakes", held?(roster, now) ? 1 : 0)]
      end

      # That travel beside a packet to the lobby.
      #: (Control::LobbyPacket) -> Array[IO]
      def descriptors(packet) = packet.words.first == "handshakes" ? [@lobby_end] : []

      #: () -> void
      def close = [@lobby_end, @service_end].compact.each(&:close)

      private

      # Whether the service takes no client soon. Those who wait for a fork wait for milliseconds.
      def held?(roster, now)
        service = roster.service(@definition.name)
        return true if roster.stopping || service&.leaving?

        service.nil? && !roster.service_backoff(@definition.name).over?(now)
      end
    end
  end
end
