# frozen_string_literal: true

require "coppice/stats"
require_relative "../../../support/supervision_test_case"

# Work that a worker does without a request is no load, and none of the requests that are counted.
class OutOfBandRecordsTest < SupervisionTestCase
  def server_at_work(since: 0)
    settled_server(worker_processes: 1, timeout: 1).tap do |server|
      row = server.roster.ready_workers.first.row
      row.ready = 1
      row.started_ms = row.out_of_band_ms = ((server.system.now - since) * 1000).to_i
    end
  end

  def stats(server) = Coppice::Stats.new(server.board).to_h

  def moments(server, count)
    count.times do
      server.system.advance(Coppice::Board::MOMENT_SECONDS)
      server.turn
    end
    server.board.moment_record(server.board.moments_count)
  end

  test "it is no load, and hides none that comes later" do
    server = server_at_work
    moment = moments(server, 10)

    assert_equal [0, 0, 0.0],
      [moment.workers_busy, moment.in_flight_us, stats(server)[:server][:utilization]]
    server.roster.ready_workers.first.row.out_of_band_ms = 0
    server.roster.ready_workers.first.row.started_ms = (server.system.now * 1000).to_i
    moment = moments(server, 10)

    assert_equal 1, moment.workers_busy
    assert_in_delta 1.0, stats(server)[:server][:utilization], 0.02
  end

  test "it is neither a request nor a timeout when its worker is killed" do
    server = server_at_work(since: 20)
    server.roster.ready_workers.first.row.deadline_ms = ((server.system.now - 10) * 1000).to_i
    server.settle
    stats = stats(server)

    assert_equal 1, stats[:exits][:worker]["request_timeout"]
    assert_equal [0, 0, 0.0], stats[:totals].values_at(:timeouts, :requests, :busy_seconds)
  end
end
