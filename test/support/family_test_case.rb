# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/address"
require_relative "fake_family"

# Tests of the monitor's decisions, with a family that has no processes.
class FamilyTestCase < Coppice::TestCase
  # The setting of a server whose workers meet all clients themselves.
  WITHOUT_LOBBY = { listen: [Coppice::Listeners::Address.parse(8080, lobby: false)].freeze }.freeze

  def teardown
    @family&.close
  end

  # A family at the moment before its first turn.
  def family_of(**settings) = @family = FakeFamily.new(**settings)

  # One whose workers have all been ready for a while.
  def settled_family(**settings)
    family_of(**settings).tap do |family|
      family.settle
      family.system.advance(2)
    end
  end

  # So many failures in a row, with no pause after them.
  def note_failures(backoff, count)
    count.times { backoff.failed(-Float::INFINITY) }
  end

  # Lets processes take steps until the block is content.
  def run_until(family)
    1000.times do
      return if yield

      family.turn
      family.system.processes.values.each { |process| family.system.step(process) }
    end
    flunk "this state was never reached"
  end
end
