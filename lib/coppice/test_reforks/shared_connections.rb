# frozen_string_literal: true

require "socket"
require "coppice/fork_safety/open_descriptors"

module Coppice
  module TestReforks
    # The connections that a new generation still has in common with the process that it was forked from, when all hooks
    # have run: both could read the same answers. A suite is not enough to find them, because only one of its processes
    # works at a time. A connection is a stream socket whose peer has an address. Its inode identifies it.
    class SharedConnections
      # Called in the process that is about to fork.
      def initialize #: () -> void
        @before = connections
      end

      # Called in the process that was forked: a text for each connection that it shares.
      #: () -> Array[String]
      def found
        shared = connections.slice(*@before.keys)
        shared.map { |_inode, (descriptor, peer)| "#{peer} (descriptor #{descriptor})" }
      end

      private

      # inode => descriptor and peer
      def connections
        ForkSafety::OpenDescriptors.sockets.each_with_object({}) do |(descriptor, inode), found|
          peer = peer_of(descriptor)
          found[inode] = [descriptor, peer] if peer
        end
      end

      # nil for sockets that listen, that have no peer, or whose peer is only known to this family of processes.
      def peer_of(descriptor)
        socket = BasicSocket.for_fd(descriptor).tap { |copy| copy.autoclose = false }
        return unless socket.local_address.socktype == Socket::SOCK_STREAM

        peer = socket.remote_address
        path = [peer, socket.local_address].map(&:unix_path).find { |name| !name.empty? } if peer.unix?
        peer.unix? ? path : peer.inspect_sockaddr
      rescue SystemCallError, SocketError # not connected
        nil
      end
    end
  end
end
