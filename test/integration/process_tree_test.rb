# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"
require_relative "../support/gate"
require_relative "../support/process_memory"
require_relative "../support/server"

# The whole server over a real socket: who lives, who is whose child, who replaces whom.
class ProcessTreeTest < Coppice::TestCase
  APP = <<~RUBY.freeze
    run(lambda do |env|
      worker = env["coppice.worker"]
      #{Gate.code('gate')} if env["PATH_INFO"] == "/held"
      body = [Process.pid, worker.nr, worker.generation, caller.size, Dir.children("/proc/self/fd").size].join(" ")
      [200, { "content-type" => "text/plain" }, [body]]
    end)
  RUBY

  def serve(config = "", &block) = Server.open(app: APP, config: "worker_processes 2\n#{config}", &block)

  def parent_of(pid) = Coppice::OS::ProcessStat.of(pid).parent

  def generations(server) = server.ready_workers.map(&:generation)

  def pids(server, role = :worker) = server.rows(role).map(&:pid)

  # Yields while the application does not answer; then answers what the client gets.
  def held_request(server)
    socket = server.connect
    Gate.new(server.path("gate")).closed do
      socket.write("GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
      server.wait { server.ready_workers.any? { |row| row.started_ms.positive? } }
      yield
    end
    BoundedWait.read(socket)
  ensure
    socket&.close
  end

  test "every process on the board is a child of the monitor, and slots are unique" do
    serve do |server|
      assert_equal [server.pid] * 3, server.board.rows.map { |row| parent_of(row.pid) }
      assert_equal [0, 1], server.ready_workers.map(&:nr).sort
    end
  end

  test "USR2 replaces all workers by a new generation, and the old mold exits" do
    serve do |server|
      before = server.board.rows.map(&:pid)
      server.get
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_empty before & server.board.rows.map(&:pid)
      assert_equal 1, server.rows(:mold).first.generation
    end
  end

  soak_test "a request count reached begins a new generation" do
    serve("refork_after [5, false]") do |server|
      10.times { server.get }
      server.wait { server.settled?(1) }
      10.times { assert_equal 200, server.get.status }

      assert_equal [1, 1], generations(server)
    end
  end

  test "a killed worker is replaced in its slot by the current mold" do
    serve do |server|
      victim = server.ready_workers.find { |row| row.nr == 1 }.pid
      server.signal(:KILL, to: victim)
      server.wait { server.gone?(victim) && server.ready_workers.size == 2 }

      assert_equal [0, 1], server.ready_workers.map(&:nr).sort
      assert_equal 200, server.get.status
    end
  end

  test "a killed mold is replaced from a worker, and no worker is replaced for it" do
    serve do |server|
      workers = pids(server)
      mold = pids(server, :mold).first
      server.signal(:KILL, to: mold)
      server.wait { server.rows(:mold).any? { |row| row.ready? && row.pid != mold } }

      assert_equal workers.sort, pids(server).sort
      assert_equal [0, 0], generations(server)
    end
  end

  test "TTIN adds a worker and TTOU takes one away" do
    serve do |server|
      server.signal(:TTIN)
      server.wait { server.ready_workers.size == 3 }
      server.signal(:TTOU)
      server.wait { server.rows(:worker).size == 2 }

      assert_equal [0, 1], server.ready_workers.map(&:nr).sort
      assert_equal 2, server.board.workers_count
    end
  end

  test "after TERM a request in flight is answered, and all processes exit" do
    serve do |server|
      family = server.family
      answer = held_request(server) do
        server.signal(:TERM)
        server.wait { server.board.shutting_down == 1 }
      end

      assert_match(/\AHTTP\/1.1 200 /, answer)
      assert_equal 0, server.wait_for_end.exitstatus
      assert_empty(family.select { |pid| File.exist?("/proc/#{pid}") })
    end
  end

  soak_test "TERM while the application boots ends the start" do
    Server.open(app: "IO.select(nil)", config: "worker_processes 1", ready: false) do |server|
      server.wait { server.board && server.children(server.pid).any? { |pid| server.title_of(pid)["loading"] } }
      server.signal(:TERM)

      assert_equal 0, server.wait_for_end.exitstatus
    end
  end

  test "INT ends everybody at once" do
    serve do |server|
      held_request(server) do
        server.signal(:INT)

        assert_equal 0, server.wait_for_end.exitstatus
      end
    end
  end

  test "when the monitor is killed, all processes exit" do
    serve do |server|
      children = server.children(server.pid)
      server.signal(:KILL)
      server.wait_for_end
      eventually { children.none? { |pid| File.exist?("/proc/#{pid}") } }
    end
  end

  def monitor_descriptors(server) = Dir.children("/proc/#{server.pid}/fd").size

  soak_test "fifty generations leave stack, descriptors and the monitor as they were" do
    serve do |server|
      sizes = Array.new(50) do |generation|
        server.signal(:USR2)
        server.wait { server.settled?(generation + 1) }
        _, _, _, depth, descriptors = server.get.body.split.map(&:to_i)
        [depth, descriptors, monitor_descriptors(server), ProcessMemory.unnamed_kib(server.pid)]
      end

      assert_equal sizes[1][0..1], sizes.last[0..1]
      server.wait { monitor_descriptors(server) <= sizes[1][2] } # its turn may not be over
      assert_operator sizes.last[3], :<=, sizes[9][3] + 1024, "the monitor grows: #{sizes.map(&:last)}"
    end
  end
end
