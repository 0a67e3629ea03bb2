# frozen_string_literal: true

require "coppice/stats"
require_relative "../../support/family_test_case"

# What the monitor writes to the board of the server as a whole.
class MonitorStatisticsTest < FamilyTestCase
  Board = Coppice::Board

  def stats(family) = Coppice::Stats.new(family.board).to_h

  def exits(family, role = :worker) = stats(family)[:exits][role].select { |_, count| count.positive? }

  test "the monitor's beat and the server's state are on the board" do
    family = family_of
    family.turn

    assert_equal "booting", stats(family)[:server][:state]
    family.settle

    assert_equal [(family.system.now * 1000).to_i, "serving"], [family.board.beat_ms, stats(family)[:server][:state]]
    family.supervision.stop(:gracefully)
    family.turn

    assert_equal "stopping", stats(family)[:server][:state]
  end

  test "an exit is counted by role and cause, and kept with its circumstances" do
    family = settled_family
    worker = family.roster.ready_workers.first
    worker.row.requests = 12
    worker.row.request = "GET /slow"
    worker.row.started_ms = ((family.system.now - 3) * 1000).to_i
    family.system.die(family.process_of(worker), FakeSystem::Status.new(nil, 11))
    family.settle

    assert_equal({ "signal" => 1 }, exits(family))
    exit = stats(family)[:recent_exits].first
    assert_equal ["worker", worker.nr, 0, worker.pid, "signal", "SEGV", nil, 12, "GET /slow", 3.0],
      exit.values_at(:role, :slot, :generation, :pid, :cause, :signal, :status, :requests, :request, :request_age)
  end

  test "the latest 32 exits are kept, newest first" do
    family = settled_family(worker_processes: 1)
    40.times do
      family.system.die(family.process_of(family.roster.ready_workers.first), FakeSystem::Status.new(0, nil))
      family.settle
    end
    kept = stats(family)[:recent_exits]

    assert_equal [{ "left" => 40 }, 32], [exits(family), kept.size]
    assert_equal kept.map { |exit| exit[:pid] }.sort.reverse, kept.map { |exit| exit[:pid] }
  end

  test "every cause that a report can have has a place" do
    causes = File.read("lib/coppice/monitor/exit_report.rb")[/# :asked.*?attr_reader :cause/m].scan(/(?<=:)[a-z_]+/)

    assert_operator causes.size, :>, 10
    assert_empty causes - Board::EXIT_CAUSES - ["cause"]
    assert_operator Board::EXIT_CAUSES.size, :<=, Board::EXIT_CAUSES_ROOM
    assert_operator Coppice::Roles::TABLE.size, :<=, Board::EXIT_ROLES
  end

  test "a worker that is gone leaves its counts to its slot" do
    family = settled_family(worker_processes: 2)
    worker = family.roster.ready_workers.find { |handle| handle.nr == 1 }
    worker.row.responses = [0, 5, 0, 1, 2]
    worker.row.pid = worker.pid # it has registered
    before = slots(family)
    family.system.die(family.process_of(worker), FakeSystem::Status.new(nil, 9))
    family.settle

    assert_equal before, slots(family)
    assert_equal [2, { "1xx" => 0, "2xx" => 5, "3xx" => 0, "4xx" => 1, "5xx" => 2 }],
      [before.size, before[1][:responses]]
  end

  # Without CPU time: these processes' numbers are those of others.
  def slots(family) = stats(family)[:slots].map { |slot| slot.except(:cpu_seconds) }

  test "a request that the monitor had to end is a timeout as well" do
    family = settled_family(worker_processes: 1, timeout: 1)
    row = family.roster.ready_workers.first.row
    row.ready = 1
    row.started_ms = ((family.system.now - 20) * 1000).to_i
    row.deadline_ms = ((family.system.now - 10) * 1000).to_i
    family.settle

    assert_equal({ "request_timeout" => 1 }, exits(family))
    assert_equal [1, 1], stats(family)[:totals].values_at(:timeouts, :requests)
    assert_in_delta 20, stats(family)[:totals][:busy_seconds], 5
  end

  test "a promotion is noted with its reason, its worker and its phases" do
    family = settled_family(worker_processes: 3)
    family.roster.ready_workers.each { |worker| worker.row.requests = 10 + worker.nr }
    family.supervision.refork
    run_until(family) { family.system.advance(0.25) && family.roster.generation == 1 && family.roster.settled? }
    family.turn
    promotion, boot = stats(family)[:promotions]

    assert_equal [1, "asked", "committed", 2, 3],
      promotion.values_at(:generation, :reason, :outcome, :template_slot, :workers)
    assert_equal [:fork, :prepare, :trial, :rollout], promotion[:phases].keys
    promotion[:phases].each_value { |seconds| assert_operator seconds, :>, 0 }
    assert_equal [0, "boot", "committed", nil], boot.values_at(:generation, :reason, :outcome, :template_slot)
    assert_equal 3 * 1000 * 1024, promotion[:private_before]
    assert_equal [["asked", 1], ["boot", 1]], committed(family)
  end

  def committed(family, outcome = "committed")
    counts = stats(family)[:reforks].select { |count| count[:outcome] == outcome && count[:count].positive? }
    counts.map { |count| count.values_at(:reason, :count) }
  end

  test "a promotion that fails is noted as far as it came" do
    family = settled_family
    family.supervision.refork
    run_until(family) { family.roster.candidate&.pid }
    family.system.die(family.process_of(family.roster.candidate), FakeSystem::Status.new(1, nil))
    family.settle
    promotion = stats(family)[:promotions].first

    assert_equal ["abandoned", nil, nil, nil],
      [promotion[:outcome], *promotion[:phases].values_at(:prepare, :trial, :rollout)]
    assert_equal [["asked", 1]], committed(family, "abandoned")
  end

  test "a promotion that runs has no outcome yet" do
    family = settled_family
    family.supervision.refork
    run_until(family) { family.roster.candidate&.pid }

    assert_equal [1, nil], stats(family)[:promotions].first.values_at(:generation, :outcome)
  end

  test "a lost mold's replacement is noted as such" do
    family = settled_family
    family.roster.ready_workers.each { |worker| worker.row.requests = 1 }
    family.system.die(family.process_of(family.roster.mold), FakeSystem::Status.new(nil, 9))
    family.settle

    assert_includes committed(family), ["mold_lost", 1]
  end

  test "what the workers of a generation take for a request is noted with its promotion" do
    family = settled_family(worker_processes: 3)
    family.roster.ready_workers.each_with_index do |worker, index|
      worker.row.first_us = 5000 * (index + 1)
      Coppice::Histogram.add(family.board.cells, worker.row.place_of(:application_us).first, 1000)
    end
    family.system.advance(5)
    family.turn
    boot = stats(family)[:promotions].first

    assert_in_delta 0.01, boot[:first_request_seconds]
    assert_in_delta 0.001, boot[:median_seconds], 0.0003
  end

  test "there is a record of the last hour for each two seconds, with sums that include the dead" do
    family = settled_family(worker_processes: 2)
    family.turn
    last = history(family)[:seq]
    family.roster.ready_workers.each { |worker| worker.row.responses = [0, 10, 0, 0, 1] }
    seconds(family, 4)
    family.system.die(family.process_of(family.roster.ready_workers.first), FakeSystem::Status.new(nil, 9))
    family.settle
    seconds(family, 2)
    records = history(family, since: last)[:records].map { |record| history(family)[:names].zip(record).to_h }

    assert_equal 3, records.size
    assert_equal [[20, 2, 2]] * 3, records.map { |record| record.values_at(:responses_2xx, :errors, :workers) }
    assert_equal [2.0], records.each_cons(2).map { |one, next_one| (next_one[:time] - one[:time]).round(1) }.uniq
  end

  def history(family, since: 0) = Coppice::Stats.new(family.board).history(since: since)

  # The monitor's loop, as often as it says that it must turn.
  def seconds(family, count)
    finish = family.system.now + count
    while family.system.now < finish
      family.system.advance([family.supervision.seconds_until_due, finish - family.system.now].min)
      family.turn
    end
  end

  test "the ring keeps an hour, and a reader gets what is new" do
    family = settled_family(worker_processes: 1)
    (Board::MOMENTS_KEPT + 10).times do
      family.system.advance(2)
      family.turn
    end
    last = history(family)[:seq]

    assert_operator last, :>, Board::MOMENTS_KEPT
    assert_equal [Board::MOMENTS_KEPT, 3, 0],
      [0, last - 3, last].map { |since| history(family, since: since)[:records].size }
  end

  test "a request whose worker is killed is counted with its time, and busy time never goes back" do
    family = settled_family(worker_processes: 1)
    worker = family.roster.ready_workers.first
    worker.row.ready = 1
    worker.row.started_ms = (family.system.now * 1000).to_i
    seconds(family, 5)
    family.system.die(family.process_of(worker), FakeSystem::Status.new(nil, 9))
    seconds(family, 6)
    history = history(family)
    busy = history[:records].map { |record| history[:names].zip(record).to_h[:busy_seconds] }

    assert_equal busy.sort, busy
    assert_in_delta 5, busy.last, 1.5
    assert_equal 1, stats(family)[:totals][:requests]
  end

  test "a request that ends while a record is made does not make busy time go back" do
    family = settled_family(worker_processes: 1)
    row = family.roster.ready_workers.first.row
    row.started_ms = (family.system.now * 1000).to_i
    seconds(family, 6)
    row.started_ms = 0 # its duration is about to be counted
    seconds(family, 2)
    Coppice::Histogram.add(row.cells, row.place_of(:application_us).first, 6_000_000)
    seconds(family, 2)
    busy = history(family)[:records].map { |record| history(family)[:names].zip(record).to_h[:busy_seconds] }

    assert_equal busy.sort, busy
    assert_in_delta 6, busy.last, 0.5
  end

  test "utilization is the part of the time in which workers had a request in flight" do
    family = settled_family(worker_processes: 2)
    worker = family.roster.ready_workers.first
    worker.row.started_ms = (family.system.now * 1000).to_i
    seconds(family, 30)

    assert_in_delta 0.5, stats(family)[:server][:utilization], 0.02
    worker.row.started_ms = 0
    seconds(family, 30)

    assert_in_delta 0.0, stats(family)[:server][:utilization], 0.02
  end

  test "without refork_after :auto nothing is weighed" do
    family = settled_family
    seconds(family, 4)

    assert_nil stats(family)[:ledger]
  end

  test "what refork_after :auto weighs is on the board" do
    family = settled_family(refork_after: :auto)
    family.roster.ready_workers.each { |worker| work(worker.row) }
    seconds(family, 4)
    ledger = stats(family)[:ledger]

    assert_equal [4 * 99_000 * 1024, 2000], ledger.values_at(:waste, :served)
    assert_operator ledger[:gain_requests], :>, 0
    assert_operator ledger[:cost_requests], :>, 0
  end

  # Counted in such requests a refork costs infinitely many, which is no number for the board.
  test "requests that took less CPU time than is counted weigh nothing" do
    family = settled_family(refork_after: :auto)
    family.roster.ready_workers.each { |worker| work(worker.row, cpu_ms: worker.row.cpu_at_start_ms) }
    seconds(family, 4)

    assert_nil stats(family)[:ledger]
  end

  def work(row, cpu_ms: 10_000)
    row.requests = row.measured_requests = 500
    row.private_kib = 100_000
    row.cpu_ms = cpu_ms
  end
end
