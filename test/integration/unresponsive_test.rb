# frozen_string_literal: true

# lane: soak -- waits for heartbeats that do not come

require "test_helper"
require_relative "../support/server"

# A worker that stands still outside of any request is lost to the service as one that hangs in a request is, but has no
# deadline to be found by.
class UnresponsiveTest < Coppice::TestCase
  APP = "run ->(_env) { [200, {}, [Process.pid.to_s]] }"
  CONFIG = <<~RUBY
    worker_processes 2
    timeout 1, cleanup: 1
    client_header_timeout 4 # with the others, so long that the other worker may stand still between two heartbeats
    after_worker_exit { |_server, worker, _status| File.write(File.join(__dir__, "cause"), worker.exit_report.cause) }
  RUBY

  test "an idle worker that was stopped is replaced, and it alone" do
    Server.open(app: APP, config: CONFIG) do |server|
      server.wait { server.all_ready? }
      stopped, other = server.ready_workers.map(&:pid)
      server.signal(:STOP, to: stopped)
      server.wait(60) { server.ready_workers.size == 2 && server.ready_workers.none? { |row| row.pid == stopped } }

      assert_includes server.ready_workers.map(&:pid), other
      server.wait { File.exist?(server.path("cause")) && File.read(server.path("cause")) == "unresponsive" }
    end
  end
  # As a machine that sleeps, or a cgroup that is frozen. The seconds are more than any limit that is set here.
  test "after the whole tree was stopped for a while nobody is killed for it" do
    held = "fifo = File.join(__dir__, 'fifo'); File.read(fifo) if worker.nr == 2 && File.exist?(fifo)"
    config = "#{CONFIG}spawn_timeout 8\nafter_worker_fork { |_, worker| #{held} }\n"
    Server.open(app: APP, config: config) do |server|
      File.mkfifo(server.path("fifo"))
      server.signal(:TTIN)
      gate = File.open(server.path("fifo"), "w")
      before = pids(server)
      stop_for(30, before)
      gate.close

      server.wait { server.ready_workers.size == 3 }
      assert_equal before, pids(server)
    end
  end

  private

  def pids(server) = [server.pid, *server.board.rows.map(&:pid)].sort

  def stop_for(seconds, processes)
    processes.each { |pid| Process.kill(:STOP, pid) }
    IO.select(nil, nil, nil, seconds)
  ensure
    processes.each { |pid| Process.kill(:CONT, pid) }
  end
end
