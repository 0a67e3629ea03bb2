# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/address"
require_relative "fake_server"

# Tests of the monitor's decisions, with a server that has no processes.
class SupervisionTestCase < Coppice::TestCase
  # The setting of a server whose workers meet all clients themselves.
  WITHOUT_LOBBY = { listen: [Coppice::Listeners::Address.parse(8080, lobby: false)].freeze }.freeze

  def teardown
    @server&.close
  end

  # A server at the moment before its first turn.
  def server_of(**settings) = @server = FakeServer.new(**settings)

  # One whose workers have all been ready for a while.
  def settled_server(**settings)
    server_of(**settings).tap do |server|
      server.settle
      server.system.advance(2)
    end
  end

  # So many failures in a row, with no pause after them.
  def note_failures(backoff, count)
    count.times { backoff.failed(-Float::INFINITY) }
  end

  # Lets processes take steps until the block is content.
  def run_until(server)
    1000.times do
      return if yield

      server.turn
      server.system.processes.values.each { |process| server.system.step(process) }
    end
    flunk "this state was never reached"
  end
end
