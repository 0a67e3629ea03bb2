# frozen_string_literal: true

require "socket"

module Coppice
  module Listeners
    # Stops a listening socket from accepting new connections, and leaves those in its queue alone. Used by the monitor
    # at shutdown, and by workers whose monitor has died.
    #
    # listen(fd, 0) still admits one connection to an empty queue. It is reset when the last process closes the socket,
    # perhaps after the client has sent a request. So a TCP socket gets a filter that drops each SYN: handshakes under
    # way complete, and a later client retries a second later, and is refused once the last worker has closed the
    # socket. (Socket filters see the segment from its TCP header on: socket(7), and the kernel's
    # Documentation/networking/filter.rst.)
    #
    # Some kernels let only a process with CAP_NET_ADMIN filter a TCP socket. There the socket demands the highest hop
    # count that a packet can have. Clients send lower ones, so their SYNs are dropped. A client whose handshake is
    # under way at that instant is lost. (IP_MINTTL: ip(7).)
    #
    # The kernel also ceases to hold back clients that have connected and sent nothing (TCP_DEFER_ACCEPT): they come
    # into the queue within a second.
    module SynFilter
      # Classic BPF: code, jump if true, jump if false, operand.
      DROP_SYN = [
        [0x30, 0, 0, 13],        # load byte 13 of the header: the flags
        [0x45, 0, 1, 0x02],      # SYN?
        [0x06, 0, 0, 0],         # drop
        [0x06, 0, 0, 0xffffffff] # pass, whole
      ].map { |instruction| instruction.pack("SCCL") }.freeze
      POINTER_BYTES = [nil].pack("P").bytesize

      # Level and name of the socket option; Ruby has no names for them.
      IP_MINTTL = [Socket::IPPROTO_IP, 21].freeze
      IPV6_MINHOPCOUNT = [Socket::IPPROTO_IPV6, 73].freeze
      HIGHEST_HOP_COUNT = 255

      #: (Socket) -> void
      def self.refuse_new_connections(socket)
        return socket.listen(0) unless socket.local_address.ip? && Socket.const_defined?(:SO_ATTACH_FILTER)

        socket.setsockopt(:TCP, :DEFER_ACCEPT, 0)
        program = DROP_SYN.join
        count = [DROP_SYN.size].pack("S").ljust(POINTER_BYTES, "\0") # padded as struct sock_fprog is
        socket.setsockopt(:SOCKET, Socket::SO_ATTACH_FILTER, count + [program].pack("P"))
      rescue Errno::EPERM
        demand_highest_hop_count(socket)
      end

      # A client can reach an IPv6 socket by IPv4 as well.
      #: (Socket) -> void
      def self.demand_highest_hop_count(socket)
        socket.setsockopt(*IP_MINTTL, HIGHEST_HOP_COUNT)
        socket.setsockopt(*IPV6_MINHOPCOUNT, HIGHEST_HOP_COUNT) if socket.local_address.ipv6?
      end
      private_class_method :demand_highest_hop_count
    end
  end
end
