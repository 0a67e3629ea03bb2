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
    module SynFilter
      # Classic BPF: code, jump if true, jump if false, operand.
      DROP_SYN = [
        [0x30, 0, 0, 13],        # load byte 13 of the header: the flags
        [0x45, 0, 1, 0x02],      # SYN?
        [0x06, 0, 0, 0],         # drop
        [0x06, 0, 0, 0xffffffff] # pass, whole
      ].map { |instruction| instruction.pack("SCCL") }.freeze
      POINTER_BYTES = [nil].pack("P").bytesize

      #: (Socket) -> void
      def self.refuse_new_connections(socket)
        return socket.listen(0) unless socket.local_address.ip? && Socket.const_defined?(:SO_ATTACH_FILTER)

        program = DROP_SYN.join
        count = [DROP_SYN.size].pack("S").ljust(POINTER_BYTES, "\0") # padded as struct sock_fprog is
        socket.setsockopt(:SOCKET, Socket::SO_ATTACH_FILTER, count + [program].pack("P"))
      end
    end
  end
end
