# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/monitor/state/handle"

class HandleTest < Coppice::TestCase
  Row = Struct.new(:requests)

  def handle_in(state)
    handle = Coppice::Monitor::Handle.new(Coppice::Monitor::ChildKind.new(:worker, nr: 3, generation: 1),
      row: Row.new(7), channel: nil, deadline: nil)
    path_to(state).each { |step| handle.move(step) }
    handle
  end

  def path_to(state)
    straight = [:forked, :registered, :ready, :leaving, :gone]
    straight.first(straight.index(state).to_i + (straight.include?(state) ? 1 : 0))
  end

  test "every legal move is made and every other refused" do
    Coppice::Monitor::Handle::MOVES.each do |from, legal|
      Coppice::Monitor::Handle::MOVES.each_key do |to|
        handle = handle_in(from)
        if legal.include?(to)
          handle.move(to)
          assert_equal to, handle.state
        else
          assert_raises(Coppice::Bug) { handle.move(to) }
        end
      end
    end
  end
end
