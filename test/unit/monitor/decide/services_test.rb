# frozen_string_literal: true

require_relative "../../../support/supervision_test_case"

class ServicesTest < SupervisionTestCase
  WORKER = { before_service_worker_ready: -> {} }.freeze # asks for the service worker
  JOBS = { "jobs" => {} }.freeze

  def names(server) = server.roster.services.map { |handle| handle.service.name }

  def kill(server, handle) = server.system.die(server.process_of(handle), FakeSystem::Status.new(nil, 9))

  # Until the next generation serves every slot and the services are what they should be.
  def refork(server)
    server.operations.refork
    server.settle
  end

  test "each service is forked once, also the service worker" do
    server = settled_server(hooks: WORKER, services: { "jobs" => {}, "cable" => {} })

    assert_equal [nil, "cable", "jobs"], names(server).sort_by(&:to_s)
    assert server.roster.services.all?(&:ready?)
    assert_equal ["", "cable", "jobs"], server.roster.services.map { |handle| handle.row.service_name }.sort
  end

  test "a service that is lost is forked again after a pause, which grows" do
    server = settled_server(services: JOBS)
    pauses = Array.new(3) do
      kill(server, server.roster.service("jobs"))
      server.settle

      assert_empty names(server)
      pause = server.roster.service_backoff("jobs").not_before - server.system.now
      server.system.advance(pause)
      server.settle

      assert_equal ["jobs"], names(server)
      pause.round(3)
    end

    assert_equal [0.1, 0.2, 0.4], pauses
  end

  test "a service that ends by itself is forked again, and what ran long has a short pause" do
    server = settled_server(services: JOBS)
    note_failures(server.roster.service_backoff("jobs"), 5)
    server.system.advance(60)
    server.system.die(server.process_of(server.roster.service("jobs")), FakeSystem::Status.new(0, nil))
    server.settle
    server.system.advance(0.1)
    server.settle

    assert_equal ["jobs"], names(server)
  end

  test "a service that never gets ready is its own affair" do
    server = settled_server(worker_processes: 2, max_consecutive_spawn_errors: 3, services: JOBS)
    kill(server, server.roster.service("jobs"))
    lost = []
    run_until(server) do
      server.system.processes.each_value { |process| process.broken = true if process.role == :service }
      server.system.advance(1)
      (lost |= server.roster.services).size > 5
    end

    assert_nil server.roster.give_up_reason
    assert_equal 0, server.roster.spawns.failures
    assert_operator server.roster.service_backoff("jobs").failures, :>=, 4
  end

  test "one service that is lost says nothing of another one, nor of the workers" do
    server = settled_server(services: { "jobs" => {}, "cable" => {} })
    kill(server, server.roster.service("jobs"))
    kill(server, server.roster.ready_workers.first)
    server.settle

    assert_equal [1, 0], %w[jobs cable].map { |name| server.roster.service_backoff(name).failures }
    assert_equal 4, server.roster.ready_workers.size
  end

  test "what its process group has left is killed before it is reaped" do
    server = settled_server(services: JOBS)
    pid = server.roster.service("jobs").pid
    kill(server, server.roster.service("jobs"))
    server.turn

    assert_includes server.system.signals, [-pid, :KILL]
  end

  test "after a refork the next one is forked when the last one is gone" do
    server = settled_server(services: JOBS)
    first = server.roster.service("jobs")
    server.operations.refork
    run_until(server) { names(server).size > 1 || server.roster.service("jobs")&.generation == 1 }

    assert_predicate first, :gone?
    server.settle

    assert_equal [1, true], [server.roster.service("jobs").generation, server.roster.service("jobs").ready?]
  end

  test "a service that survives reforks is replaced only when it has ended, by a fork of the newest mold" do
    server = settled_server(services: { "jobs" => { survives_reforks: true } })
    first = server.roster.service("jobs")
    2.times { refork(server) }

    assert_same first, server.roster.service("jobs")
    assert_equal 2, server.roster.generation
    kill(server, first)
    server.settle
    server.system.advance(1)
    server.settle

    assert_equal 2, server.roster.service("jobs").generation
  end

  test "none leaves while a candidate is on trial" do
    server = settled_server(services: JOBS)
    server.operations.refork
    run_until(server) { server.roster.candidate&.ready? }

    refute_predicate server.roster.service("jobs"), :leaving?
  end

  # As if it had measured itself now.
  def weigh(server, handle, pss_kib)
    handle.row.pss_kib = pss_kib
    handle.row.measured_ms = (server.system.now * 1000).to_i
  end

  test "a service over its memory limit is replaced by a fork of the same generation, also if it survives reforks" do
    server = settled_server(services: { "jobs" => { survives_reforks: true, memory_limit: { pss: 50 << 20 } } })
    first = server.roster.service("jobs")
    server.system.advance(60)
    weigh(server, first, 45 << 10)
    server.settle

    assert_same first, server.roster.service("jobs")
    server.system.advance(60)
    weigh(server, first, 51 << 10)
    2.times { server.settle }

    refute_same first, server.roster.service("jobs")
    assert_equal [:asked, 0], [first.exit_report.cause, server.roster.service("jobs").generation]
  end

  test "the memory of a young service is not looked at, nor one that it has measured among fewer processes" do
    server = settled_server(services: { "jobs" => { memory_limit: { pss: 1 << 20 } } })
    first = server.roster.service("jobs")
    server.system.advance(50)
    weigh(server, first, 2 << 10)
    server.settle
    first.row.measured_ms = 1
    server.system.advance(60)
    server.settle

    assert_same first, server.roster.service("jobs")
  end

  test "a service is replaced at its age, and not while a candidate is on trial" do
    server = settled_server(services: { "jobs" => { survives_reforks: true, max_age: 3600 }, "cable" => {} })
    jobs, cable = %w[jobs cable].map { |name| server.roster.service(name) }
    server.operations.refork
    run_until(server) { server.roster.candidate&.ready? }
    server.system.advance(3600)
    server.turn

    assert_equal [true, false], [jobs.over_limit, jobs.leaving?]
    server.settle

    assert_equal [true, 1], [jobs.gone?, server.roster.service("jobs").generation]
    assert_equal [nil, 1], [cable.over_limit, server.roster.service("cable").generation]
  end

  test "one that does not exit in its own time is killed" do
    server = settled_server(timeout: 60, services: { "jobs" => { timeout: 3 } })
    jobs = server.roster.service("jobs")
    server.process_of(jobs).hanging = true
    refork(server)
    server.system.advance(2.9)
    server.turn

    assert_nil jobs.kill_reason
    server.system.advance(0.2)
    server.settle

    assert_equal :stop_timeout, jobs.kill_reason
    assert_predicate jobs, :gone?
  end

  test "a service whose program is another one by now gets TERM" do
    server = settled_server(services: JOBS)
    jobs = server.roster.service("jobs")
    server.process_of(jobs).channel.close
    server.turn

    assert_nil jobs.deadline
    server.operations.stop(:gracefully)
    server.turn

    assert_includes server.system.signals, [jobs.pid, :TERM]
  end

  test "each service gets TERM and no message, since it may become another program before it has read that" do
    server = settled_server(services: { "jobs" => {}, "cable" => {} })
    services = server.roster.services
    channels = services.map { |handle| server.process_of(handle).channel }
    server.operations.stop(:gracefully)
    server.turn

    assert_equal services.map { |handle| [handle.pid, :TERM] }, server.system.signals
    assert(channels.all? { |channel| channel.queue.empty? })
  end

  test "a service that has not begun is told by a message, which it reads when it is ready" do
    server = server_of(services: JOBS)
    run_until(server) { server.roster.services.any?(&:pid) }
    channel = server.process_of(jobs = server.roster.service("jobs")).channel
    server.operations.stop(:gracefully)
    server.turn

    assert_predicate jobs, :leaving?
    assert_empty server.system.signals
    assert_equal [Coppice::Control::Messages::Stop], channel.queue.map { |packet| packet.message.class }
  end

  test "a service that somebody else has reaped is replaced" do
    server = settled_server(services: JOBS)
    server.system.vanish(server.process_of(server.roster.service("jobs")))
    server.settle
    server.system.advance(1)
    server.settle

    assert_predicate server.roster.service("jobs"), :ready?
  end

  test "services exit first when the server stops, while workers serve on" do
    server = settled_server(services: { "jobs" => { timeout: 20 } })
    server.process_of(server.roster.service("jobs")).hanging = true
    server.operations.stop(:gracefully)
    server.system.advance(19)
    server.settle

    assert_equal [4, nil], [server.roster.ready_workers.size, server.refused_clients]
    server.process_of(server.roster.service("jobs")).hanging = false
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "a service that does not exit is killed, and the others have all of their time after it" do
    server = settled_server(timeout: 20, timeout_cleanup: 2, services: { "jobs" => { timeout: 5 } })
    server.process_of(server.roster.service("jobs")).hanging = true
    worker = server.roster.ready_workers.first
    server.process_of(worker).hanging = true
    server.operations.stop(:gracefully)
    server.settle
    server.system.advance(5.1)
    server.settle

    assert_empty names(server)
    server.system.advance(41)
    server.settle

    assert_nil worker.kill_reason
    server.system.advance(2)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "during shutdown_delay services exit, and none is forked again" do
    server = settled_server(services: JOBS)
    server.operations.stop(:gracefully, delay: 5)
    server.settle
    server.system.advance(3)
    server.settle

    assert_equal [[], 4, nil], [names(server), server.roster.ready_workers.size, server.refused_clients]
    server.system.advance(2)
    server.settle

    assert_predicate server.supervision, :finished?
  end

  test "an immediate stop waits for no service" do
    server = settled_server(services: JOBS)
    server.process_of(server.roster.service("jobs")).hanging = true
    server.operations.stop(:at_once)
    server.settle
    server.system.advance(1.1)
    server.settle

    assert_predicate server.supervision, :finished?
  end
end
