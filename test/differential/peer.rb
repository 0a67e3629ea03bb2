# frozen_string_literal: true

# Reads requests with the parser of another server; runs in a process of its own, with the gems of
# gemfiles/peers.gemfile. Its argument is the peer's name. Standard input is a marshalled array of requests; for each
# one a marshalled reading (a hash) is written to standard output.

require "bundler/setup"
require "socket"

# A peer knows how to read one request from a socket; answers `{}` with the keys of Reading, or raises.
module Peers
  autoload :Falcon, File.expand_path("peers/falcon", __dir__)
  autoload :Pitchfork, File.expand_path("peers/pitchfork", __dir__)
  autoload :Puma, File.expand_path("peers/puma", __dir__)
end

# Nothing can block: all of the request is there, and behind it the end. A socket's buffer takes it whole.
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
  exit 3 # its gem is not for this Ruby
end
$stdin.binmode
$stdout.binmode
Marshal.load($stdin).each do |request| # rubocop:disable Security/MarshalLoad -- from the test, our parent
  Marshal.dump(read(peer, request), $stdout)
  $stdout.flush
end
