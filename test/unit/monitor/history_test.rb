# frozen_string_literal: true

require "test_helper"
require_relative "../../support/history"

# HISTORIES=50000 SEED=1 runs more of them, or the same ones again.
class HistoryTest < Coppice::TestCase
  HISTORIES = Integer(ENV.fetch("HISTORIES", 1500))

  test "no history of faults breaks the rules, and every family recovers" do
    seed = Integer(ENV.fetch("HISTORY_SEED", Random.new_seed % (2**32)))
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
