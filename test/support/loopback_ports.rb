# frozen_string_literal: true

require "socket"

# Ports of 127.0.0.1 for programs that cannot choose their own, or must come back to theirs. The kernel takes a client's
# port, and that of a test which asks for any, from above: no stranger gets one of these while its owner is away.
module LoopbackPorts
  RANGE = (10_000...32_768).freeze

  # So many that are free at this moment.
  def self.free(count) #: (Integer) -> Array[Integer]
    candidates = RANGE.to_a.shuffle(random: Random.new) # not the run's own seed: its other files have that as well
    sockets = []
    while sockets.size < count
      socket = listen_on(candidates.pop)
      sockets << socket if socket
    end
    sockets.map { |socket| socket.local_address.ip_port }
  ensure
    sockets&.each(&:close)
  end

  def self.listen_on(port)
    TCPServer.new("127.0.0.1", port)
  rescue Errno::EADDRINUSE
    nil
  end
  private_class_method :listen_on
end
