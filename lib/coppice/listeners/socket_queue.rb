# frozen_string_literal: true

module Coppice
  module Listeners
    # How many connections wait to be accepted on listening sockets, and how many may. backlog is nil when only /proc
    # tells of the socket.
    SocketQueue = Struct.new(:waiting, :backlog)
  end
end
