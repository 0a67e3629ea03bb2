# frozen_string_literal: true

require "test_helper"
require "delegate"
require "coppice/board"
require "coppice/child/life"
require "coppice/child/membership"
require "coppice/control/channel"
require "coppice/coppice_ext"

# How a new process registers with the monitor.
class RegistrationTest < Coppice::TestCase
  Messages = Coppice::Control::Messages

  Inheritance = Struct.new(:board) do
    def in_process_of(_membership) = self
  end

  # Sends TERM to the process as soon as its pid is there to be seen.
  class WatchedRow < SimpleDelegator
    def pid=(pid)
      super
      Process.kill(:TERM, pid)
    end
  end

  # What the monitor gets from a new process whose parent handles TERM.
  def reported_by_child
    ours, theirs = Coppice::Control::Channel.pair
    child = fork do
      ours.close
      trap(:TERM) { exit!(1) }
      board = Coppice::Board.create
      row = WatchedRow.new(board.row(0))
      membership = Coppice::Child::Membership.new(role: :mold, generation: 0, row: row, channel: theirs)
      Coppice::Child::Life.new(inheritance: Inheritance.new(board), membership: membership).start
      exit!(0)
    end
    theirs.close
    BoundedWait.status_of(child)
    messages = []
    while (packet = ours.receive).is_a?(Coppice::Control::Channel::Packet)
      messages << packet.message
    end
    messages
  ensure
    ours.close
  end

  test "TERM is reported as soon as the pid is on the board" do
    messages = reported_by_child

    assert_equal [Messages::Registered, Messages::SignalReceived], messages.map(&:class).sort_by(&:name)
    assert_includes messages, Messages::SignalReceived.new(name: :TERM)
  end
end
