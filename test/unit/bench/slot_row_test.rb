# frozen_string_literal: true

require "json"
require "test_helper"
require_relative "../../../bench/lib/slot_row"

class SlotRowTest < Coppice::TestCase
  test "a phase is the same after it was in a file" do
    loads = { "quick" => load(10, 4.0), "waiting" => load(30, 5.0) }
    phase = Bench::SlotPhase.new(loads: loads, cpu_seconds: 2.0, kernel_percent: 9.5, mean_mib: 10.5,
      peak_mib: 11.0, workers: [2, 2.5, 3])
    parsed = Bench::SlotRow.new(JSON.parse(JSON.generate("phases" => { "75 %" => phase }))).phase("75 %")

    assert_equal phase, parsed
    assert_equal [8.0, 50.0], [parsed.requests_per_second, parsed.cpu_ms_per_request]
  end

  test "a phase without answers has no latencies" do
    loads = { "quick" => load(10, 4.0), "waiting" => load(0, 4.0) }
    phase = Bench::SlotPhase.new(loads: loads)

    assert_equal [0.01, nil], [phase.milliseconds("quick", :p99_us), phase.milliseconds("waiting", :p99_us)]
  end

  private

  def load(answered, seconds)
    Bench::LoadResult.new(answered: answered, seconds: seconds, p99_us: 10, errors: { "reset" => 0 }, bodies: {})
  end
end
