# frozen_string_literal: true

require "io/wait"
require "socket"
require "coppice/control/codec"

module Coppice
  module Control
    # One end of a SEQPACKET socketpair between the monitor and a child. It keeps message boundaries, carries
    # descriptors, and shows by end-of-file that the other process is gone. It never blocks.
    class Channel
      MAX_BYTES = 64 * 1024

      # The other process is gone; or the application has closed all descriptors, perhaps by their numbers.
      ENDED = [Errno::EPIPE, Errno::ECONNRESET, Errno::EBADF, Errno::ENOTSOCK, IOError].freeze

      # In the place of descriptors for which this process has no room: who needs one learns why it is not there.
      LOST = Hash.new { |_, name| raise Errno::EMFILE, "no #{name} came with the message" }.freeze

      # A message that was received, and the descriptors that came with it, by name.
      Packet = Struct.new(:message, :descriptors) do
        # Closes all descriptors that came with it.
        #: () -> void
        def close = descriptors.values.flatten.each(&:close)
      end

      # The two ends, both close-on-exec.
      #: () -> [Channel, Channel]
      def self.pair = UNIXSocket.pair(:SEQPACKET).map { |socket| new(socket) }

      # An end that was inherited or received.
      #: (Integer) -> Channel
      def self.for_fd(descriptor) = new(UNIXSocket.for_fd(descriptor))

      attr_reader :socket #: UNIXSocket

      #: (UNIXSocket) -> void
      def initialize(socket)
        @socket = socket
        @socket.close_on_exec = true
      end

      # Sends a message, and descriptors by name. Returns :sent, :full (try again later) or :closed. Raises Bug for a
      # message that is too large.
      #: (Object, ?descriptors: Hash[Symbol, IO | Array[IO]]) -> Symbol
      def send(message, descriptors: {})
        bytes = encode(message, descriptors)
        too_large = bytes.bytesize > MAX_BYTES
        raise Bug, "a #{message.class} of #{bytes.bytesize} bytes: a channel takes #{MAX_BYTES}" if too_large

        ios = descriptors.values.flatten
        rights = ios.empty? ? [] : [Socket::AncillaryData.unix_rights(*ios)]
        sent = @socket.sendmsg_nonblock(bytes, 0, nil, *rights, exception: false)
        sent == :wait_writable ? :full : :sent
      rescue *ENDED
        :closed
      end

      # A Packet, :empty or :closed. Either all descriptors come or, when this process has too few left, none: a worker
      # must not start with half of its listeners. Raises ProtocolMismatch for a malformed message, or a part of one.
      #: () -> (Packet | Symbol)
      def receive
        bytes, _, flags, *controls = @socket.recvmsg_nonblock(MAX_BYTES, 0, scm_rights: true, exception: false)
        return :empty if bytes == :wait_readable
        return :closed if bytes.nil? || bytes.empty?

        ios = controls.flat_map { |control| control.unix_rights || [] }
        ios.each(&:close).clear if flags.anybits?(Socket::MSG_CTRUNC)
        raise ProtocolMismatch, "a message of more than #{MAX_BYTES} bytes" if flags.anybits?(Socket::MSG_TRUNC)

        decode(bytes, ios)
      rescue ProtocolMismatch
        ios.each(&:close)
        raise
      rescue *ENDED
        :closed
      end

      # The first Packet to a process that the monitor has spawned with exec; nil when the monitor is gone already.
      # Waits. Raises ProtocolMismatch for a monitor of another version.
      #: () -> Packet?
      def receive_first
        packet = :empty
        packet = receive while packet == :empty && @socket.wait_readable
        return if packet == :closed

        protocol = packet.message.protocol
        return packet if protocol == PROTOCOL

        raise ProtocolMismatch, "the monitor speaks protocol #{protocol}, this process #{PROTOCOL}"
      end

      #: () -> Integer
      def fileno = @socket.fileno

      #: () -> bool
      def closed? = @socket.closed?

      #: () -> UNIXSocket
      def to_io = @socket

      #: () -> void
      def close = @socket.close

      private

      def encode(message, descriptors) = Codec.encode(message, counts(descriptors))

      def decode(bytes, ios)
        message, counts = Codec.decode(bytes)
        Packet.new(message, name(ios, counts))
      end

      # The names travel in the message: name => number of IOs, or nil for one that is not in an Array.
      def counts(descriptors) = descriptors.transform_values { |ios| ios.is_a?(Array) ? ios.size : nil }

      # What `counts` has described.
      def name(ios, counts)
        return LOST if ios.empty?

        expected = counts.values.sum { |count| count || 1 }
        raise ProtocolMismatch, "#{ios.size} descriptors where #{expected} are named" unless ios.size == expected

        rest = ios.dup
        counts.transform_values { |count| count ? rest.shift(count) : rest.shift }
      end
    end
  end
end
