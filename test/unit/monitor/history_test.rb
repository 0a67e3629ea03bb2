# frozen_string_literal: true

require "test_helper"
require_relative "../../support/history"

# The same histories each time, so that a failure is the fault of the change at hand.
# To look for new ones: HISTORIES=50000 HISTORY_SEED=$RANDOM bin/test test/unit/monitor/history_test.rb
class HistoryTest < Coppice::TestCase
  HISTORIES = Integer(ENV.fetch("HISTORIES", 1500))

  test "no history of faults breaks the rules, and every family recovers" do
    seed = Integer(ENV.fetch("HISTORY_SEED", 20_261_121))
    random = Random.new(seed)
    HISTORIES.times do |number|
      history = History.draw(random)
      failure = history.failure or next
      short = history.shrink
      flunk "HISTORY_SEED=#{seed}, history #{number}: #{failure}\nshort: #{short.failure}\n#{short.settings}\n#{short.events.inspect}"
    end
    pass
  end
end
