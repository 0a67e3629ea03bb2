# frozen_string_literal: true

require "socket"
require "coppice/control/codec"

module Coppice
  module Control
    # One end of a SEQPACKET socketpair between the monitor and a child: keeps
    # message boundaries, carries descriptors, and tells each side by end-of-file
    # that the other is gone. Never blocks.
    class Channel
      MAX_BYTES = 64 * 1024

      # What was received: a message and the descriptors that came with it.
      Packet = Struct.new(:message, :descriptors)

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

      # :sent, :full (try again later) or :closed: three different answers. Raises Bug for a message that is too large.
      #: (Object, ?descriptors: Array[IO]) -> Symbol
      def send(message, descriptors: [])
        bytes = Codec.encode(message)
        raise Bug, "a #{message.class} of #{bytes.bytesize} bytes: a channel takes #{MAX_BYTES}" if bytes.bytesize > MAX_BYTES

        rights = descriptors.empty? ? [] : [Socket::AncillaryData.unix_rights(*descriptors)]
        sent = @socket.sendmsg_nonblock(bytes, 0, nil, *rights, exception: false)
        sent == :wait_writable ? :full : :sent
      rescue Errno::EPIPE, Errno::ECONNRESET, IOError
        :closed
      end

      # A Packet, :empty or :closed. All descriptors come or, when this process has not enough room for them, none: half
      # of them would make a worker without listeners. Raises ProtocolMismatch for a malformed message, or a part of one.
      #: () -> (Packet | Symbol)
      def receive
        bytes, _, flags, *controls = @socket.recvmsg_nonblock(MAX_BYTES, 0, scm_rights: true, exception: false)
        return :empty if bytes == :wait_readable
        return :closed if bytes.nil? || bytes.empty?

        descriptors = controls.flat_map { |control| control.unix_rights || [] }
        descriptors.each(&:close).clear if flags.anybits?(Socket::MSG_CTRUNC)
        raise ProtocolMismatch, "a message of more than #{MAX_BYTES} bytes" if flags.anybits?(Socket::MSG_TRUNC)

        Packet.new(Codec.decode(bytes), descriptors)
      rescue ProtocolMismatch
        descriptors.each(&:close)
        raise
      rescue Errno::ECONNRESET, IOError
        :closed
      end

      #: () -> Integer
      def fileno = @socket.fileno

      #: () -> bool
      def closed? = @socket.closed?

      #: () -> UNIXSocket
      def to_io = @socket

      #: () -> void
      def close = @socket.close
    end
  end
end
