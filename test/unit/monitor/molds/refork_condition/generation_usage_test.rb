# frozen_string_literal: true

require_relative "../../../../support/supervision_test_case"
require "coppice/stats"

class GenerationUsageTest < SupervisionTestCase
  GenerationUsage = Coppice::Monitor::ReforkCondition::GenerationUsage

  def measure(row, requests:, private_kib:, cpu_ms:)
    row.measured_requests = requests
    row.private_kib = private_kib
    row.cpu_ms = cpu_ms
  end

  test "memory that workers make before they are ready is in the ledger, beside the waste" do
    server = settled_server(refork_after: :auto)
    server.roster.mold.row.anonymous_kib = 50_000
    server.roster.ready_workers.map(&:row).each do |row|
      row.requests = 500
      row.anonymous_at_start_kib = 58_000
      measure(row, requests: 500, private_kib: 100_000, cpu_ms: 10_000)
    end
    4.times do
      server.system.advance(1)
      server.turn
    end

    assert_equal 8_000 * 1024, Coppice::Stats.new(server.board).to_h[:ledger][:rebuilt]
  end

  test "what the workers and the mold have put down is added up" do
    server = settled_server(worker_processes: 2, refork_after: :auto)
    first, second = server.roster.ready_workers.map(&:row) # each with 1000 KiB and 10 ms at its start
    measure(first, requests: 30, private_kib: 5_000, cpu_ms: 410)
    measure(second, requests: 10, private_kib: 2_000, cpu_ms: 210)
    server.roster.mold.row.cpu_at_start_ms = 300
    server.roster.mold.row.cpu_ms = 900 # with what it has forked since
    server.turn
    measurement = GenerationUsage.of(server.roster)

    assert_equal [0, true, 2, 40], measurement.to_h.values_at(:generation, :cold, :workers, :requests)
    assert_equal [5_000, 107_000, 2_000_000], measurement.to_h.values_at(:waste, :total, :left)
    assert_equal [320, 15.0], measurement.to_h.values_at(:refork_ms, :request_ms)
  end

  test "what workers have made before they were ready is what the next mold would hold in addition" do
    server = settled_server(worker_processes: 2)
    build(server, 40_000, 5_000)
    assert_equal (40_000 + 5_000) / 2, GenerationUsage.of(server.roster).rebuilt

    server.roster.mold.row.anonymous_kib = 0 # not measured
    assert_equal 0, GenerationUsage.of(server.roster).rebuilt
  end

  # Before they are ready, each so many KiB.
  def build(server, *kib)
    server.roster.ready_workers.zip(kib) do |worker, more|
      worker.row.anonymous_at_start_kib = server.roster.mold.row.anonymous_kib + more
    end
  end

  test "it stays the same while workers copy the mold's pages and take more memory" do
    server = settled_server(worker_processes: 2)
    build(server, 40_000, 40_000)
    first, second = server.roster.ready_workers.map(&:row)
    first.private_kib += 60_000 # copies of pages: its anonymous memory is no larger
    second.private_kib += 60_000
    second.anonymous_kib += 60_000

    assert_equal 40_000, GenerationUsage.of(server.roster).rebuilt
  end

  test "memory that only replaces the mold's is nothing in addition" do
    server = settled_server
    build(server, *[0] * 4)
    assert_equal 0, GenerationUsage.of(server.roster).rebuilt
  end

  test "a mold that replaces a lost one is compared with its own workers only" do
    server = settled_server(worker_processes: 2)
    server.roster.ready_workers.each { |worker| worker.row.not_fork_safe = 1 } # so the next mold is a cold one
    server.system.mold_kib = 60_000
    former = server.roster.mold
    server.system.die(server.process_of(former), FakeSystem::Status.new(nil, 9))
    run_until(server) { server.roster.mold&.ready? && !server.roster.mold.equal?(former) }
    assert_equal 0, server.roster.generation

    assert_equal 0, GenerationUsage.of(server.roster).rebuilt
  end

  test "before the first request nobody knows what one costs" do
    assert_nil GenerationUsage.of(settled_server.roster).request_ms
  end

  test "requests that took less CPU time than is counted say nothing of what one costs" do
    server = settled_server
    server.roster.ready_workers.each { |worker| measure(worker.row, requests: 1, private_kib: 5_000, cpu_ms: 10) }

    assert_nil GenerationUsage.of(server.roster).request_ms
  end

  test "there is none until each worker has measured itself" do
    server = settled_server
    server.roster.ready_workers.last.row.measured_ms = 0

    assert_nil GenerationUsage.of(server.roster)
  end

  test "memory that was given back is no negative waste" do
    server = settled_server
    server.roster.ready_workers.each { |worker| worker.row.private_kib = 0 }

    assert_equal 0, GenerationUsage.of(server.roster).waste
  end

  test "a refork that pays is begun, and not before" do
    server = settled_server(worker_processes: 2, refork_after: :auto)
    server.roster.ready_workers.each { |worker| measure(worker.row, requests: 10, private_kib: 100_000, cpu_ms: 100) }
    server.settle
    assert_equal 0, server.roster.generation
    server.roster.ready_workers.each do |worker|
      measure(worker.row, requests: 500, private_kib: 100_000, cpu_ms: 5_000)
    end
    server.settle

    assert_equal 1, server.roster.generation
  end
end
