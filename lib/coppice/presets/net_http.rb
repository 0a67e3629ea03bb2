# frozen_string_literal: true

require "socket"
require "coppice/fork_safety/connection_copies"

# A Net::HTTP does not give away its socket, but the address of its peer.
sockets = lambda do |http|
  ports = [http.port, http.proxy_port]
  ObjectSpace.each_object(TCPSocket).select do |socket|
    peer = !socket.closed? && socket.remote_address
    peer && peer.ip_address == http.ipaddr && ports.include?(peer.ip_port)
  rescue SystemCallError, IOError
    false # not connected
  end
end

copies = Coppice::ForkSafety::ConnectionCopies.new("Net::HTTP",
  open: ->(http) { http.started? },
  detach: lambda do |http|
    sockets.call(http).each { |socket| Coppice::ForkSafety::ConnectionCopies.detach_socket(socket) }
    http.finish # TLS says goodbye: to /dev/null
  end)

Coppice::Presets.define(:net_http, gem: "net-http", constant: "Net::HTTP", tested: true, verdict: :acts,
  calls: copies.calls,
  does: "detaches copied connections from the parent's sockets, and finishes them",
  advice: "call `start` again in `after_worker_fork`, or a copy connects for each request",
  why: "Two processes would read each other's answers. A TLS session breaks for both.",
  source: "lib/net/http.rb (begin_transport) of ruby/net-http")
