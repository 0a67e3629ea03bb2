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

  # Returns the first mold, which has been asked for the first worker then, and has not looked yet.
  def turn_until_mold(server)
    10.times do
      server.turn
      break if server.roster.mold

      server.system.processes.values.each { |process| server.system.step(process) }
    end
    server.roster.mold
  end

  # That the monitor kills a child when this time is over, and not before.
  def assert_killed_after(server, handle, seconds, reason = :spawn_timeout)
    server.system.advance(seconds - 1)
    server.turn

    assert_nil handle.kill_reason
    server.system.advance(2)
    server.turn

    assert_equal reason, handle.kill_reason
  end
end
