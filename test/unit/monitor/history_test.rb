# frozen_string_literal: true

require "test_helper"
require_relative "../../support/compiled_plays"
require_relative "../../support/history"

# The same histories each time, so that a failure is the fault of the change at hand.
# To look for new ones: HISTORIES=50000 HISTORY_SEED=$RANDOM bin/test test/unit/monitor/history_test.rb
class HistoryTest < Coppice::TestCase
  HISTORIES = Integer(ENV.fetch("HISTORIES", 100))

  test "no history of faults breaks the rules, and every server recovers" do
    seed = Integer(ENV.fetch("HISTORY_SEED", 20_261_121))
    random = Random.new(seed)
    HISTORIES.times do |number|
      history = History.draw(random)
      failure = history.failure or next
      short = history.shrink
      flunk "HISTORY_SEED=#{seed}, history #{number}: #{failure}\n" \
            "short: #{short.failure}\n#{short.settings}\n#{short.events.inspect}"
    end
    pass
  end

  def address(...) = Coppice::Listeners::Address.parse(...)

  test "no worker is recycled while another one has a signal to leave" do
    events = [[:term, 653_226], [:leave, 418_969], [:turn, 279_981], [:step, 292_477], [:pass, 54_876],
              [:weigh, 275_395], [:pass, 47_756]]

    assert_nil History.new(events, resizing: false, stops_early: false, worker_processes: 6, refork_surge: 0,
      shutdown_delay: 0, worker_memory_limit: { private: 51_200_000 }, admin_listen: [address(9293)],
      services: { "jobs" => { survives_reforks: true }, "cable" => { timeout: 3, max_age: 60 } },
      listen: [address(8080, lobby: false)]).failure
  end

  test "a trial takes the room of a worker beyond the wanted ones, and of nobody else" do
    events = [[:serve, 318_887], [:refork, 385_585], [:turn, 903_359], [:step, 823_463], [:rush, 885_446],
              [:leave, 878_219], [:turn, 560_591], [:step, 582_076], [:step, 530_169], [:kill, 473_555],
              [:step, 477_971], [:serve, 782_103], [:hang, 404_923], [:turn, 545_980], [:rush, 27_249],
              [:lose_middle, 943_271], [:serve, 830_750], [:step, 253_284]]

    assert_nil History.new(events, resizing: false, stops_early: false, worker_processes: 3, shutdown_delay: 2,
      warm_up_requests: ["/"], worker_memory_limit: { pss: "2%" }, cold_boot_after_growth: "10%",
      refork_surge: "10%").failure
  end
end
