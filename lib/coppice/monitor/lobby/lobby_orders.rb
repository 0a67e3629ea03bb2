# frozen_string_literal: true

require "coppice/control/lobby_packet"

module Coppice
  class Monitor
    # What the lobby must know, from the monitor's side: a queue of packets, and the last word about each thing. When
    # the lobby's loop is lost, nobody knows which packets it has read, so its successor gets every last word again.
    class LobbyOrders
      Order = Struct.new(:packet, :descriptors)

      #: (Control::LobbyChannel) -> void
      def initialize(channel)
        @channel = channel
        @standing = {} # what it is about => its last Order
        @unsent = []
      end

      # Queues a packet. about: what it is the last word about; the first word of the packet, if nothing else.
      #: (Control::LobbyPacket, ?about: untyped, ?descriptors: Array[IO]) -> void
      def add(packet, about: packet.words.first, descriptors: [])
        withdraw(about)
        order = Order.new(packet, descriptors)
        @standing[about] = order
        @unsent << order
      end

      # The last word about a seat. verdict: what becomes of a request that its worker had.
      #: (Integer, *String) -> void
      def gone(number, *verdict) = add(Control::LobbyPacket.of("gone", number, *verdict), about: [:seat, number])

      # Whether this is the last word already.
      #: (Control::LobbyPacket) -> bool
      def standing?(packet) = @standing[packet.words.first]&.packet == packet

      # A successor of the loop has nothing yet.
      #: () -> void
      def repeat = @unsent = (@standing.values - @unsent) + @unsent

      #: () -> bool
      def any? = !@unsent.empty?

      # Sends what the channel takes; the rest stays for the next call.
      #: () -> void
      def send
        while (order = @unsent.first)
          return if @channel.send(order.packet, descriptors: { all: order.descriptors }) == :full

          @unsent.shift
        end
      end

      private

      # A seat that was never announced, and whose descriptors are closed by now.
      def withdraw(about)
        former = @standing[about]
        @unsent.reject! { |order| order.equal?(former) } if former&.descriptors&.any?
      end
    end
  end
end
