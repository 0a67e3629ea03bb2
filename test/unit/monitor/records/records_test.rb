# frozen_string_literal: true

require "coppice/stats"
require_relative "../../../support/supervision_test_case"

# What the monitor writes to the board of the server as a whole.
class MonitorRecordsTest < SupervisionTestCase
  Board = Coppice::Board

  def stats(server) = Coppice::Stats.new(server.board).to_h

  def exits(server, role = :worker) = stats(server)[:exits][role].select { |_, count| count.positive? }

  test "the monitor's beat and the server's state are on the board" do
    server = server_of
    server.turn

    assert_equal "booting", stats(server)[:server][:state]
    server.settle

    assert_equal [(server.system.now * 1000).to_i, "serving"], [server.board.beat_ms, stats(server)[:server][:state]]
    server.operations.stop(:gracefully)
    server.turn

    assert_equal "stopping", stats(server)[:server][:state]
  end

  test "an exit is counted by role and cause, and kept with its circumstances" do
    server = settled_server
    worker = server.roster.ready_workers.first
    worker.row.requests = 12
    worker.row.request = "GET /slow"
    worker.row.started_ms = ((server.system.now - 3) * 1000).to_i
    server.system.die(server.process_of(worker), FakeSystem::Status.new(nil, 11))
    server.settle

    assert_equal({ "signal" => 1 }, exits(server))
    exit = stats(server)[:recent_exits].first
    assert_equal ["worker", worker.nr, 0, worker.pid, "signal", "SEGV", nil, 12, "GET /slow", 3.0],
      exit.values_at(:role, :slot, :generation, :pid, :cause, :signal, :status, :requests, :request, :request_age)
  end

  test "the latest 32 exits are kept, newest first" do
    server = settled_server(worker_processes: 1)
    40.times do
      server.system.die(server.process_of(server.roster.ready_workers.first), FakeSystem::Status.new(0, nil))
      server.settle
    end
    kept = stats(server)[:recent_exits]

    assert_equal [{ "exited_by_itself" => 40 }, 32], [exits(server), kept.size]
    assert_equal kept.map { |exit| exit[:pid] }.sort.reverse, kept.map { |exit| exit[:pid] }
  end

  test "a worker that is gone leaves its counts to its slot" do
    server = settled_server(worker_processes: 2)
    worker = server.roster.ready_workers.find { |handle| handle.nr == 1 }
    worker.row.responses = [0, 5, 0, 1, 2]
    worker.row.pid = worker.pid # it has registered
    before = slots(server)
    server.system.die(server.process_of(worker), FakeSystem::Status.new(nil, 9))
    server.settle

    assert_equal before, slots(server)
    assert_equal [2, { "1xx" => 0, "2xx" => 5, "3xx" => 0, "4xx" => 1, "5xx" => 2 }],
      [before.size, before[1][:responses]]
  end

  # Without CPU time: these processes' numbers are those of others.
  def slots(server) = stats(server)[:slots].map { |slot| slot.except(:cpu_seconds) }

  test "a request that the monitor had to end is a timeout as well" do
    server = settled_server(worker_processes: 1, timeout: 1)
    row = server.roster.ready_workers.first.row
    row.ready = 1
    row.started_ms = ((server.system.now - 20) * 1000).to_i
    row.deadline_ms = ((server.system.now - 10) * 1000).to_i
    server.settle

    assert_equal({ "request_timeout" => 1 }, exits(server))
    assert_equal [1, 1], stats(server)[:totals].values_at(:timeouts, :requests)
    assert_in_delta 20, stats(server)[:totals][:busy_seconds], 5
  end

  test "a promotion is noted with its reason, its worker and its phases" do
    server = settled_server(worker_processes: 3)
    server.roster.ready_workers.each { |worker| worker.row.requests = 10 + worker.nr }
    server.operations.refork
    run_until(server) { server.system.advance(0.25) && server.roster.generation == 1 && server.roster.settled? }
    server.turn
    promotion, boot = stats(server)[:promotions]

    assert_equal [1, "asked", true, "committed", 2, 3],
      promotion.values_at(:generation, :reason, :refork, :outcome, :template_slot, :workers)
    assert_equal [:fork, :prepare, :trial, :rollout], promotion[:phases].keys
    promotion[:phases].each_value { |seconds| assert_operator seconds, :>, 0 }
    assert_equal [0, "boot", false, nil], boot.values_at(:generation, :reason, :refork, :template_slot)
    assert_equal 3 * 1000 * 1024, promotion[:private_before]
    assert_equal [["asked", 1], ["boot", 1]], committed(server)
  end

  def committed(server, outcome = "committed")
    counts = stats(server)[:reforks].select { |count| count[:outcome] == outcome && count[:count].positive? }
    counts.map { |count| count.values_at(:reason, :count) }
  end

  test "a promotion that fails is noted as far as it came" do
    server = settled_server
    server.operations.refork
    run_until(server) { server.roster.candidate&.pid }
    server.system.die(server.process_of(server.roster.candidate), FakeSystem::Status.new(1, nil))
    server.settle
    promotion = stats(server)[:promotions].first

    assert_equal ["abandoned", nil, nil, nil],
      [promotion[:outcome], *promotion[:phases].values_at(:prepare, :trial, :rollout)]
    assert_equal [["asked", 1]], committed(server, "abandoned")
  end

  test "a promotion that runs has no outcome yet" do
    server = settled_server
    server.operations.refork
    run_until(server) { server.roster.candidate&.pid }

    assert_equal [1, nil], stats(server)[:promotions].first.values_at(:generation, :outcome)
  end

  test "a lost mold's replacement is noted as such" do
    server = settled_server
    server.roster.ready_workers.each { |worker| worker.row.requests = 1 }
    server.system.die(server.process_of(server.roster.mold), FakeSystem::Status.new(nil, 9))
    server.settle

    assert_includes committed(server), ["mold_lost", 1]
  end

  test "what the workers of a generation take for a request is noted with its promotion" do
    server = settled_server(worker_processes: 3)
    server.roster.ready_workers.each_with_index do |worker, index|
      worker.row.first_us = 5000 * (index + 1)
      Coppice::Histogram.add(server.board.cells, worker.row.place_of(:application_us).first, 1000)
    end
    server.system.advance(Coppice::Monitor::Records::Promotions::MEASURE_PAUSE)
    server.turn
    boot = stats(server)[:promotions].first

    assert_in_delta 0.01, boot[:first_request_seconds]
    assert_in_delta 0.001, boot[:median_seconds], 0.0003
  end

  test "a request that ends while the workers are looked at is not in flight" do
    server = settled_server(worker_processes: 2)
    rows = server.roster.ready_workers.map { |worker| worker.row.index }
    server.board.define_singleton_method(:due) do |column, time|
      column == :started_ms ? [rows, 0] : super(column, time)
    end
    seconds(server, 4)
    moment = server.board.moment_record(server.board.moments_count)

    assert_equal [2, 0, 0], [moment.workers_ready, moment.workers_busy, moment.in_flight_us]
  end

  test "there is a record of the last hour for each two seconds, with sums that include the dead" do
    server = settled_server(worker_processes: 2)
    server.turn
    last = history(server)[:seq]
    server.roster.ready_workers.each { |worker| worker.row.responses = [0, 10, 0, 0, 1] }
    seconds(server, 4)
    server.system.die(server.process_of(server.roster.ready_workers.first), FakeSystem::Status.new(nil, 9))
    server.settle
    seconds(server, 2)
    records = history(server, since: last)[:records].map { |record| history(server)[:names].zip(record).to_h }

    assert_equal 3, records.size
    assert_equal [[20, 2, 2]] * 3, records.map { |record| record.values_at(:responses_2xx, :errors, :workers) }
    assert_equal [2.0], records.each_cons(2).map { |one, next_one| (next_one[:time] - one[:time]).round(1) }.uniq
  end

  test "the last hour has what the lobby answered itself, and its 5xx are errors like those of workers" do
    server = settled_server(worker_processes: 1)
    server.roster.ready_workers.first.row.responses = [0, 10, 0, 0, 1]
    server.board.lobby.refused_400 = 5
    server.board.lobby.lost_502 = 2
    server.board.lobby.shed_max_waiting = 3
    seconds(server, 4)
    record = history(server)[:names].zip(history(server)[:records].last).to_h

    assert_equal [6, 1, 10], record.values_at(:errors, :responses_5xx, :lobby_refused)
  end

  def history(server, since: 0) = Coppice::Stats.new(server.board).history(since: since)

  # The monitor's loop, as often as it says that it must turn.
  def seconds(server, count)
    finish = server.system.now + count
    while server.system.now < finish
      server.system.advance([server.supervision.seconds_until_due, finish - server.system.now].min)
      server.turn
    end
  end

  test "the ring keeps an hour, and a reader gets what is new" do
    server = settled_server(worker_processes: 1)
    (Board::MOMENTS_KEPT + 10).times do
      server.system.advance(2)
      server.turn
    end
    last = history(server)[:seq]

    assert_operator last, :>, Board::MOMENTS_KEPT
    assert_equal [Board::MOMENTS_KEPT, 3, 0],
      [0, last - 3, last].map { |since| history(server, since: since)[:records].size }
  end

  test "a request whose worker is killed is counted with its time, and busy time never goes back" do
    server = settled_server(worker_processes: 1)
    worker = server.roster.ready_workers.first
    worker.row.ready = 1
    worker.row.started_ms = (server.system.now * 1000).to_i
    seconds(server, 5)
    server.system.die(server.process_of(worker), FakeSystem::Status.new(nil, 9))
    seconds(server, 6)
    history = history(server)
    busy = history[:records].map { |record| history[:names].zip(record).to_h[:busy_seconds] }

    assert_equal busy.sort, busy
    assert_in_delta 5, busy.last, 1.5
    assert_equal 1, stats(server)[:totals][:requests]
  end

  test "a request that ends while a record is made does not make busy time go back" do
    server = settled_server(worker_processes: 1)
    row = server.roster.ready_workers.first.row
    row.started_ms = (server.system.now * 1000).to_i
    seconds(server, 6)
    row.started_ms = 0 # its duration is about to be counted
    seconds(server, 2)
    Coppice::Histogram.add(row.cells, row.place_of(:application_us).first, 6_000_000)
    seconds(server, 2)
    busy = history(server)[:records].map { |record| history(server)[:names].zip(record).to_h[:busy_seconds] }

    assert_equal busy.sort, busy
    assert_in_delta 6, busy.last, 0.5
  end

  test "utilization is the part of the time in which workers had a request in flight" do
    server = settled_server(worker_processes: 2)
    worker = server.roster.ready_workers.first
    worker.row.started_ms = (server.system.now * 1000).to_i
    seconds(server, 30)

    assert_in_delta 0.5, stats(server)[:server][:utilization], 0.02
    worker.row.started_ms = 0
    seconds(server, 30)

    assert_in_delta 0.0, stats(server)[:server][:utilization], 0.02
  end

  test "without refork_after :auto nothing is weighed" do
    server = settled_server
    seconds(server, 4)

    assert_nil stats(server)[:ledger]
  end

  test "what refork_after :auto weighs is on the board" do
    server = settled_server(refork_after: :auto)
    server.roster.ready_workers.each { |worker| work(worker.row) }
    seconds(server, 4)
    ledger = stats(server)[:ledger]

    assert_equal [4 * 99_000 * 1024, 2000], ledger.values_at(:waste, :served)
    assert_operator ledger[:gain_requests], :>, 0
    assert_operator ledger[:cost_requests], :>, 0
  end

  # Counted in such requests a refork costs infinitely many, which is no number for the board.
  test "requests that took less CPU time than is counted weigh nothing" do
    server = settled_server(refork_after: :auto)
    server.roster.ready_workers.each { |worker| work(worker.row, cpu_ms: worker.row.cpu_at_start_ms) }
    seconds(server, 4)

    assert_nil stats(server)[:ledger]
  end

  def work(row, cpu_ms: 10_000)
    row.requests = row.measured_requests = 500
    row.private_kib = 100_000
    row.cpu_ms = cpu_ms
  end
end
