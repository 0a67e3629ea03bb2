# frozen_string_literal: true

require "test_helper"
require "support/stats_test_case"

module Coppice
  # What a reader of the board is told of the requests in flight.
  class RequestsInStatsTest < StatsTestCase
    test "a request in flight has an age, and is overdue past its deadline" do
      row = worker(0)

      assert_equal [nil, nil, false], to_h[:processes][0].values_at(:request, :request_age, :overdue)
      row.request = "GET /x"
      row.started_ms = OS::Clock.now_ms - 2000
      row.deadline_ms = OS::Clock.now_ms - 1000
      process = to_h[:processes][0]

      assert_equal ["GET /x", true], process.values_at(:request, :overdue)
      assert_operator process[:request_age], :>=, 2
      assert_equal [1, 1], to_h[:server].values_at(:workers_ready, :workers_busy)
    end

    test "work after the response has an age of its own, and keeps its worker busy" do
      row = worker(0)
      row.started_ms = OS::Clock.now_ms - 5000
      assert_nil to_h[:processes][0][:answered_age]
      row.answered_ms = OS::Clock.now_ms - 2000
      process = to_h[:processes][0]

      assert_equal ["busy", true, true], [*process.values_at(:state, :in_flight), process[:answered_age] >= 2]
      assert_operator process[:request_age], :>=, 5
      assert_equal 1, to_h[:server][:workers_busy]
    end

    test "out-of-band work makes no worker busy" do
      row = worker(0)
      row.request = "out-of-band work"
      row.started_ms = row.out_of_band_ms = OS::Clock.now_ms

      assert_equal ["idle", "out-of-band work"], to_h[:processes][0].values_at(:state, :request)
      assert_equal [1, 0], to_h[:server].values_at(:workers_ready, :workers_busy)
    end

    test "a request of a leaving worker is in flight; neither its out-of-band work nor what a guest runs is" do
      rows = Array.new(4) { |nr| worker(nr) }
      rows.each { |row| row.started_ms = OS::Clock.now_ms }
      rows[1].leaving = rows[2].leaving = 1
      rows[2].out_of_band_ms = OS::Clock.now_ms
      rows[3].role = Roles.number(:guest)

      assert_equal %w[busy leaving leaving busy], (to_h[:processes].map { |process| process[:state] })
      assert_equal [true, true, false, false], (to_h[:processes].map { |process| process[:in_flight] })
      assert_equal [1, 1], to_h[:server].values_at(:workers_ready, :workers_busy)
    end
  end
end
