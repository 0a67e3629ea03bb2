# frozen_string_literal: true

# Reads requests with the parser of another server, in a process of its own, with the gems of gemfiles/peers.gemfile.
# The argument is the peer's name. Standard input is a marshalled array of requests. For each request this program
# writes a marshalled reading (a hash) to standard output.

require "bundler/setup"
require "socket"

# Each peer reads one request from a socket, and returns a hash as RackEnv does, or raises.
module Peers
  autoload :Falcon, File.expand_path("peers/falcon", __dir__)
  autoload :Pitchfork, File.expand_path("peers/pitchfork", __dir__)
  autoload :Puma, File.expand_path("peers/puma", __dir__)
end

# Cannot block: the buffer of the socket holds the whole request and its end.
def read(peer, request)
  ours, theirs = UNIXSocket.pair
  ours.write(request)
  ours.close_write
  { accepted: true, **peer.read(theirs) }
rescue StandardError => error
  { accepted: false, why: "#{error.class}: #{error.message}"[0, 200] }
ensure
  [ours, theirs].each(&:close)
end

begin
  peer = Peers.const_get(ARGV.fetch(0)).new
rescue LoadError
  exit 3 # its gem does not support this Ruby
end
$stdin.binmode
$stdout.binmode
Marshal.load($stdin).each do |request| # rubocop:disable Security/MarshalLoad -- from the test, our parent
  Marshal.dump(read(peer, request), $stdout)
  $stdout.flush
end
