# frozen_string_literal: true

require "test_helper"
require_relative "../support/capacity_watch"
require_relative "../support/closed_loop"
require_relative "../support/gate"
require_relative "../support/server"

# A mold that is lost, or that is no good: clients notice nothing, and as many workers as were promised are ready.
class MoldLossTest < Coppice::TestCase
  # /break spoils the worker that answers: what is forked from it finds itself broken. It waits at a gate, so that a
  # test can spoil all workers at once.
  APP = <<~RUBY.freeze
    BOOTED_IN = Process.pid
    Flaw = Struct.new(:here).new(false)
    File.write("boots", "\#{BOOTED_IN}\\n", mode: "a")
    run(lambda do |env|
      if env["PATH_INFO"] == "/break"
        Flaw.here = true
        #{Gate.code('break')}
      end
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  BREAKABLE = <<~RUBY
    after_worker_fork do |_server, worker|
      File.write("births", "\#{Process.pid}\\n", mode: "a")
      raise "broken" if Flaw.here
    end
  RUBY

  def serve(config, workers: 2, &block)
    config = "worker_processes #{workers}\nrefork_backoff 0.1\nspawn_timeout 60\n#{config}"
    Server.open(app: APP, config: config, &block)
  end

  # Clients ask all the time while the block runs; all must be answered, by never fewer workers than there should be.
  def unnoticed(server)
    clients = ClosedLoop.new(server, clients: 2, paths: ["/"])
    lowest = CapacityWatch.lowest(server) { clients.during { yield } }

    assert_empty clients.failures
    assert_operator clients.answers, :>, 0
    assert_equal server.board.workers_count, lowest
  end

  def workers(server) = server.ready_workers.map(&:pid).sort

  def mold(server) = server.rows(:mold).first

  # The mold and the workers that were there from the start.
  def first_generation(server) = server.board.rows.select { |row| row.ready? && row.generation.zero? }.map(&:pid).sort

  def gate(server, name) = Gate.new(server.path(name))

  # The pids in a file to which each process adds its own.
  def notes(server, name) = File.exist?(server.path(name)) ? File.readlines(server.path(name)).map(&:to_i) : []

  # Whether a mold has its row, and no process yet.
  def replacement_asked?(server)
    rows = (0...server.board.rows_count).map { |index| server.board.row(index) }
    rows.any? { |row| row.role_name == :mold && row.pid.zero? }
  end

  # Whether a worker of this generation is being forked. The mold before has exited, so that the only one is the mold of
  # this generation.
  def rollout_under_way?(server, generation)
    server.board.generation == generation && server.rows(:mold).size == 1 &&
      server.rows(:worker).any? { |row| row.generation == generation && !row.ready? }
  end

  def lose_mold(server)
    lost = mold(server).pid
    server.signal(:KILL, to: lost)
    server.wait { server.rows(:mold).map { |row| [row.ready?, row.pid == lost] } == [[true, false]] }
  end

  # Has every worker answer one request that spoils it.
  def spoil_all(server)
    sockets = Array.new(server.board.workers_count) { server.connect }
    gate(server, "break").closed do
      sockets.each { |socket| socket.write("GET /break HTTP/1.1\r\nHost: x\r\n\r\n") }
      server.wait { server.ready_workers.all? { |row| row.started_ms.positive? } }
    end
    sockets.each { |socket| assert_match(%r{\AHTTP/1.1 200 }, BoundedWait.read(socket)) }
  ensure
    sockets.each(&:close)
  end

  soak_test "a mold that is lost again and again is replaced each time" do
    serve("") do |server|
      before = workers(server)
      unnoticed(server) { 3.times { lose_mold(server) } }

      assert_equal before, workers(server)
    end
  end

  test "a mold and the worker that is to replace it are lost, and the next warm worker replaces the mold" do
    config = "worker_processes 3\nspawn_timeout 60\nrefork_backoff 60\n" \
             "retry_lost_requests false" # else another worker would wait at the gate
    Server.open(app: APP, config: config) do |server|
      socket = server.connect
      gate(server, "break").closed do
        socket.write("GET /break HTTP/1.1\r\nHost: x\r\n\r\n")
        chosen = server.wait { server.ready_workers.find { |row| row.started_ms.positive? } }
        make_warmest(server, chosen)
        server.signal(:KILL, to: mold(server).pid)
        server.wait { replacement_asked?(server) }
        pid = chosen.pid
        server.signal(:KILL, to: pid)
        server.wait { server.gone?(pid) && server.settled?(0) }
      end

      assert_equal 1, notes(server, "boots").size
    ensure
      socket&.close
    end
  end

  def make_warmest(server, row)
    board = Coppice::Board.of_process(server.pid, read_only: false)
    board.row(row.index).requests = 1000
    board.close
  end

  # An idle mold exits soon, rather than after ten seconds.
  IMPATIENT = <<~RUBY
    require "coppice/monitor/molds/idle_mold"
    Coppice::Monitor::IdleMold.send(:remove_const, :IDLE)
    Coppice::Monitor::IdleMold::IDLE = 0.1
  RUBY

  test "a worker is replaced without a mold, which exits when all are there" do
    serve("keep_mold false\n#{IMPATIENT}") do |server|
      server.wait(60) { mold(server).nil? }
      lost, kept = workers(server)
      server.signal(:KILL, to: lost)
      server.wait { server.gone?(lost) && workers(server).size == 2 }

      assert_includes workers(server), kept
      assert_equal 1, notes(server, "boots").size
      assert_equal 200, server.get("/").status
      server.wait(60) { mold(server).nil? }
    end
  end

  test "a mold that is lost in the middle of a rollout is replaced, and the rollout goes on" do
    config = "after_worker_fork { |_server, worker| #{Gate.code('gate')} if worker.generation == 1 && worker.nr < 3 }"
    serve("refork_surge 1\n#{config}", workers: 3) do |server|
      unnoticed(server) do
        gate(server, "gate").closed do
          server.signal(:USR2)
          server.wait { rollout_under_way?(server, 1) }
          lose_mold(server)
        end
        server.wait { server.settled?(1) }
      end
    end
  end

  soak_test "a candidate that is lost during its trial is given up, and another one tried" do
    config = "after_worker_fork { |_server, worker| #{Gate.code('gate')} if worker.generation == 1 }"
    serve(config) do |server|
      unnoticed(server) do
        gate(server, "gate").closed do
          server.signal(:USR2)
          server.wait { server.rows(:worker).any? { |row| row.generation == 1 } }
          candidate = server.rows(:mold).find { |row| row.generation == 1 }.pid
          server.signal(:KILL, to: candidate)
          server.wait { server.rows(:mold).none? { |row| row.pid == candidate } }
        end
        server.wait { server.settled?(1) }
      end
    end
  end

  # For a hook of the mold: does this in each but the one that booted the application.
  def failing(action)
    <<~RUBY
      after_mold_fork do |_server, _mold|
        next if Process.pid == BOOTED_IN
        File.write("tries", "\#{Process.pid}\\n", mode: "a")
        #{action}
      end
    RUBY
  end

  test "a promoted worker that calls exit in its hook leaves everything as it was" do
    assert_promotion_changes_nothing("exit")
  end

  soak_test "a promoted worker that is killed in its hook leaves everything as it was" do
    assert_promotion_changes_nothing("Process.kill(:KILL, Process.pid)")
  end

  def assert_promotion_changes_nothing(action)
    serve(failing(action)) do |server|
      before = first_generation(server)
      unnoticed(server) do
        server.signal(:USR2)
        server.wait { notes(server, "tries").size >= 2 && server.rows(:mold).size == 1 }
      end

      assert_equal before, first_generation(server)
    end
  end

  soak_test "when the replacement of a lost mold raises in its hook, the application is booted" do
    assert_boots_again(failing("raise 'no'"))
  end

  soak_test "when the replacement of a lost mold hangs in its hook, the application is booted" do
    assert_boots_again("#{failing(Gate.code('gate'))}\nspawn_timeout 2")
  end

  def assert_boots_again(config)
    serve(config) do |server|
      before = workers(server)
      unnoticed(server) do
        gate(server, "gate").closed { lose_mold(server) }
      end

      assert_equal 2, notes(server, "boots").size
      assert_equal before, workers(server)
    end
  end

  soak_test "a promoted worker whose workers die is given up, each time, and the server does not give up" do
    serve("#{BREAKABLE}\nmax_consecutive_spawn_errors 3") do |server|
      spoil_all(server)
      before = first_generation(server)
      unnoticed(server) do
        server.signal(:USR2)
        server.wait(60) { notes(server, "births").size >= 6 } # two workers and four trials
      end

      assert_equal before, first_generation(server)
    end
  end

  soak_test "a lost mold whose place a worker took whose workers die is replaced by a cold one" do
    serve(BREAKABLE) do |server|
      spoil_all(server)
      lose_mold(server)
      victim = workers(server).first
      server.signal(:KILL, to: victim)
      server.wait { server.gone?(victim) && server.settled?(0) }

      assert_equal 2, notes(server, "boots").size
    end
  end

  test "a server that cannot replace its workers gives up where the user says so, and names the hook to look at" do
    config = "max_consecutive_spawn_errors 3\n" \
             "after_worker_fork { |_server, _worker| raise 'no' if File.exist?('down') }"
    serve(config) do |server|
      File.write(server.path("down"), "")
      server.signal(:KILL, to: workers(server).first)

      assert_equal 1, server.wait_for_end.exitstatus
      assert_match(/level=fatal .*3 children in a row.*after_worker_fork/, server.log) # made for people
    end
  end
end
