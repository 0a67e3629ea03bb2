# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class RecyclingTest < SupervisionTestCase
  MIB = 1024

  def weigh(worker, private_kib: 10 * MIB, pss_kib: private_kib * 2, requests: 100)
    worker.row.requests = worker.row.measured_requests = requests
    worker.row.private_kib = private_kib
    worker.row.pss_kib = pss_kib
  end

  def over_limit(server) = server.roster.workers.select(&:over_limit)

  # The workers that are gone after a few turns of the server.
  def replaced(server)
    before = server.roster.ready_workers
    yield before
    server.settle
    before.reject { |worker| server.roster.ready_workers.include?(worker) }
  end

  test "a worker over its memory limit gives its place to a fresh fork of the same generation" do
    server = settled_server(worker_memory_limit: { private: 50 * MIB * MIB })
    gone = replaced(server) { |workers| weigh(workers[1], private_kib: 51 * MIB) }

    assert_equal [1], gone.map(&:nr)
    assert_equal [0, 1, 2, 3], server.roster.ready_workers.map(&:nr).sort
    assert_equal [0], server.roster.ready_workers.map(&:generation).uniq
    assert_equal :asked, gone.first.exit_report.cause
  end

  test "PSS counts unless private memory is asked for" do
    [[{ pss: 50 * MIB * MIB }, 1], [{ private: 50 * MIB * MIB }, 0]].each do |limit, count|
      server = settled_server(worker_memory_limit: limit)
      gone = replaced(server) { |workers| weigh(workers[0], private_kib: 20 * MIB, pss_kib: 60 * MIB) }

      assert_equal count, gone.size
      server.close
    end
  end

  test "a PSS that was measured before all workers were there does not count" do
    server = server_of(worker_memory_limit: { pss: 50 * MIB * MIB })
    server.settle
    worker = server.roster.ready_workers.last # the others were measured again at once
    weigh(worker, pss_kib: 60 * MIB)
    server.settle

    assert_includes server.roster.ready_workers, worker
    server.system.advance(1)
    gone = replaced(server) { nil }

    assert_equal [worker], gone
  end

  test "a share is one of the memory that there is" do
    server = settled_server(worker_memory_limit: { pss: "10%" }) # of 4,000,000 KiB
    gone = replaced(server) do |workers|
      weigh(workers[0], pss_kib: 350_000)
      weigh(workers[1], pss_kib: 401_000)
    end

    assert_equal [1], gone.map(&:nr)
  end

  test "after so many requests, or at such an age, a worker is replaced" do
    server = settled_server(worker_max_requests: 1000, worker_max_age: 3600)
    gone = replaced(server) { |workers| workers[2].row.requests = 1000 }
    assert_equal [2], gone.map(&:nr)
    first = server.roster.ready_workers
    server.system.advance(3600)
    8.times { server.settle }

    assert_empty first & server.roster.ready_workers
    assert_equal 4, server.roster.ready_workers.size
  end

  test "each worker has limits of its own, up to a tenth lower" do
    limits = Coppice::Monitor::WorkerLimits.new(settled_server(worker_max_requests: 1000).settings)
    reached = (1..500).map do |pid|
      worker = Struct.new(:pid, :requests_count, :ready_at, :row).new(pid, 0, 0.0, nil)
      (0..1000).step(10).find { |requests| worker.requests_count = requests; limits.request_or_age_excess(worker, 0.0) }
    end

    assert_equal [910, 1000], reached.minmax
    assert_operator reached.tally.values.max, :<=, 60
  end

  test "capacity does not drop: successors are ready before old workers exit" do
    server = settled_server(worker_max_requests: 1000)
    server.roster.ready_workers.each { |worker| worker.row.requests = 1000 }
    first = server.roster.ready_workers
    ready = []
    run_until(server) do
      ready << server.roster.ready_workers.size
      server.roster.workers.each { |worker| worker.row.requests = 0 unless first.include?(worker) }
      (first & server.roster.ready_workers).empty? && server.roster.settled?
    end

    assert_equal 4, ready.min
  end

  test "without a surge as many are away as may be, one after the other" do
    server = settled_server(worker_max_requests: 1000, refork_surge: 0)
    server.roster.ready_workers.each { |worker| worker.row.requests = 1000 }
    server.turn

    assert_equal [1, 3], [over_limit(server).size, server.roster.ready_workers.size]
  end

  test "nobody is recycled while a candidate is on trial" do
    server = settled_server(worker_max_requests: 1000)
    server.operations.refork
    server.turn
    server.roster.ready_workers.each { |worker| worker.row.requests = 1000 }
    server.turn

    refute_nil server.roster.candidate
    assert_empty over_limit(server)
  end

  test "a fork that is over the limit before it has served anybody is left alone" do
    server = settled_server(worker_memory_limit: { private: MIB * MIB })
    gone = replaced(server) { |workers| workers.each { |worker| weigh(worker, requests: 0) } }

    assert_empty gone
  end

  # Steps of each second of an hour in which every fork is over the limit at once.
  def recycled_within_an_hour(server)
    recycling = Coppice::Monitor::Recycling.new(server.settings)
    now = server.system.now
    server.roster.ready_workers.each { |worker| weigh(worker) && (worker.ready_at = now) }
    (0..3600).map do |second|
      recycling.next(server.roster, now + second).each { |step| replace(server, step, now + second) }
    end
  end

  # As if a successor, which is as large, took the place of the worker.
  def replace(server, step, now)
    return unless step.is_a?(Coppice::Monitor::Steps::Recycle)

    server.roster.remove(step.handle)
    server.roster.add(step.handle.dup.tap { |successor| successor.ready_at = now })
  end

  [1, 8].each do |workers|
    test "a limit that forks reach at once is kept ever more rarely, and told once, with #{workers} workers" do
      server = settled_server(worker_processes: workers, worker_memory_limit: { private: MIB * MIB })
      steps = recycled_within_an_hour(server)

      assert_equal 1, steps.flatten.grep(Coppice::Monitor::Steps::Warn).size
      assert_equal [0, 2, 6, 14, 30, 62, 126, 254, 510, 1022, 1622, 2222, 2822, 3422],
        (steps.each_index.reject { |second| steps[second].empty? })
    end
  end

  test "a share of what nobody knows is no limit, but so many bytes are" do
    { { pss: "1%" } => 0, { pss: MIB * MIB } => 1 }.each do |limit, count|
      server = settled_server(worker_memory_limit: limit)
      server.roster.headroom.total = nil

      assert_equal(count, replaced(server) { |workers| weigh(workers.first) }.size)
      server.close
    end
  end

  test "one whose memory has to wait is replaced for its age all the same" do
    server = settled_server(worker_memory_limit: { private: MIB * MIB }, worker_max_age: 30)
    recycling = Coppice::Monitor::Recycling.new(server.settings)
    server.roster.ready_workers.each { |worker| weigh(worker) }
    now = server.system.now
    reasons = [40, 41].map do |second|
      recycling.next(server.roster, now + second).map { |step| step.reason_fields[:why] }
    end

    assert_equal [[:memory], [:age]], reasons
  end

  test "a worker that took its time is replaced at once, however early others were" do
    server = settled_server(worker_memory_limit: { private: MIB * MIB })
    recycling = Coppice::Monitor::Recycling.new(server.settings)
    server.roster.ready_workers.each { |worker| weigh(worker) }
    now = server.system.now + Coppice::Monitor::Recycling::YOUNG

    assert_equal [1, 1], (Array.new(2) { |turn| recycling.next(server.roster, now + turn).size })
  end
end
