# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/lib/slot_figures"

class SlotTableTest < Coppice::TestCase
  RATE = Bench::SlotFigure.new("rate", 0, true, ->(row) { row.phase("closed loop")&.requests_per_second })
  ROUND = Bench::SlotFigure.new("round", 0, false, ->(row) { row["round"] })

  test "a line has medians with extremes, and ratios to the reference of the same round" do
    rows = [*[100, 200, 300].each_with_index.map { |rate, round| row("puma", round, rate) },
            *[50, 400, 150].each_with_index.map { |rate, round| row("coppice", round, rate) }]

    assert_equal ["", "puma", "coppice", "ratio to puma"], table(rows).head
    assert_equal ["rate", "200 (100–300)", "150 (50–400)", "0.50 (0.50–2.00)"], table(rows).lines([RATE])[1]
  end

  test "a figure that is not compared has no ratio" do
    rows = [row("puma", 1, 100), row("coppice", 1, 100)]

    assert_equal ["round", "1", "1", ""], table(rows).lines([ROUND])[1]
  end

  test "a round that the reference lacks has no ratio, and a phase that a server lacks has no figure" do
    rows = [row("puma", 1, 100), row("coppice", 1, 100), row("coppice", 2, 300),
            row("coppice", 3, 1).merge("phases" => {})]

    assert_equal ["rate", "100", "200 (100–300)", "1.00"], table(rows).lines([RATE])[1]
  end

  test "without the reference there are no ratios" do
    table = table([row("coppice", 1, 100)])

    assert_equal ["", "coppice"], table.head
    assert_equal %w[rate 100], table.lines([RATE])[1]
  end

  test "the first line has all versions, the last ones the errors of each phase" do
    rows = [row("puma", 1, 1, "timeout" => 2), row("puma", 2, 1, "timeout" => 1, "status" => 3),
            row("coppice", 1, 1).merge("version" => "0.2"), row("coppice", 2, 1).merge("version" => "0.3")]
    rows.last["phases"]["open"] = row("coppice", 2, 1, "reset" => 4)["phases"]["closed loop"]

    assert_equal [["version", "1.0", "0.2, 0.3", ""], ["closed loop, errors", "3 timeout, 3 status", "0", ""],
                  ["open, errors", "–", "4 reset", ""]], table(rows).lines([])
  end

  test "the figures of slots are computed from the rows as they are in the file" do
    closed, open = [row("puma", 1, 100), row("puma", 1, 20, {}, 32.0)].map { |row| row["phases"]["closed loop"] }
    row = row("puma", 1, 1).merge("boot_seconds" => 2.5,
      "phases" => { "warm-up" => closed.merge("peak_mib" => 99.0), "closed loop" => closed, "open loop, 30 %" => open })
    lines = table([row]).lines(Bench::SlotFigures.new(slots: 16, shares: [30]).all).to_h

    assert_equal "2.5", lines["boot to the first answer, s"]
    assert_equal %w[24 99 1.5],
      lines.values_at("total PSS, mean, MiB", "total PSS, peak, MiB", "total PSS, mean, MiB per slot")
    assert_equal %w[3 4.0 5], lines.values_at("workers, fewest", "workers, mean", "workers, most")
    assert_equal ["5.00", "25.00"],
      lines.values_at("closed loop, CPU ms per request", "open loop, 30 %, CPU ms per request")
    assert_equal %w[1.0 1.5 2.0 –], lines.values_at("closed loop, p50, ms", "closed loop, p95, ms",
      "open loop, 30 %, p99, ms", "while reforking, p99, ms")
  end

  private

  def table(rows) = Bench::SlotTable.new(rows, labels: %w[puma coppice pitchfork], reference: "puma")

  # Of one closed loop of two seconds, as JSON returns it.
  def row(server, round, rate, errors = {}, mib = 16.0)
    load = { "answered" => rate * 2, "seconds" => 2.0, "p50_us" => 1000, "p95_us" => 1500, "p99_us" => 2000,
             "errors" => errors }
    phase = { "loads" => { "all" => load }, "cpu_seconds" => 1.0, "mean_mib" => mib, "peak_mib" => mib * 2,
              "workers" => [3, 4.0, 5] }
    { "server" => server, "round" => round, "version" => "1.0", "phases" => { "closed loop" => phase } }
  end
end
