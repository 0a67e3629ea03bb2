# frozen_string_literal: true

require "coppice/monitor/kernel/oom_counter"
require "coppice/stats"
require_relative "../../../support/supervision_test_case"

# How the monitor tells a kill of the kernel's, because memory ran out, from any other.
class RecentOomKillsTest < SupervisionTestCase
  Cgroup = Struct.new(:file) { def files(*) = [file] }

  test "a kill is out_of_memory only where the kernel has counted one lately" do
    with_tmpdir do |folder|
      File.write(file = "#{folder}/memory.events", "oom_kill 0\n")
      server = settled_server
      server.system.oom_counter = Coppice::Monitor::OomCounter.new(Cgroup.new(file))
      File.write(file, "oom_kill 1\n")
      kill_worker(server)

      assert_equal({ "out_of_memory" => 1 }, exits(server))
      File.write(file, "oom_kill 2\n") # of another program
      3.times { server.system.advance(6) && server.turn }
      kill_worker(server)

      assert_equal({ "out_of_memory" => 1, "signal" => 1 }, exits(server))
    end
  end

  test "a worker that is killed for its seat takes no kill of the kernel's for its own" do
    with_tmpdir do |folder|
      File.write(file = "#{folder}/memory.events", "oom_kill 0\n")
      server = settled_server
      server.system.oom_counter = Coppice::Monitor::OomCounter.new(Cgroup.new(file))
      File.write(file, "oom_kill 1\n")
      server.roster.ready_workers.first.kill_reason = :lost_seat
      2.times { kill_worker(server) }

      assert_equal({ "out_of_memory" => 1, "lost_seat" => 1 }, exits(server))
    end
  end

  private

  def kill_worker(server)
    server.system.die(server.process_of(server.roster.ready_workers.first), FakeSystem::Status.new(nil, 9))
    server.settle
  end

  def exits(server) = Coppice::Stats.new(server.board).to_h[:exits][:worker].select { |_, count| count.positive? }
end
