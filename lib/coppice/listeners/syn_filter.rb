# frozen_string_literal: true

require "socket"

module Coppice
  module Listeners
    # Keeps new clients out of a listening socket, and leaves those in its queue alone. Runs in the monitor at
    # the end, and in workers whose monitor died.
    #
    # listen(fd, 0) still lets one into an empty queue, who is reset when the last process closes it, perhaps with a
    # request sent. So a TCP socket gets a filter that drops each SYN: handshakes under way end well, and who comes
    # later tries again a second later, and is refused once the last worker has closed the socket. (Socket filters see
    # the segment from its TCP header on: socket(7), and the kernel's Documentation/networking/filter.rst.)
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
