# frozen_string_literal: true

require "test_helper"
require "coppice/os/processor_demand"

class ProcessorDemandTest < Coppice::TestCase
  # Computes on a thread beside its first one, which sleeps. Of two on one processor each waits for the other.
  def computing
    fork do
      system("taskset", "--pid", "--cpu-list", "0", Process.pid.to_s, out: File::NULL)
      Thread.new { loop { nil } }.join
    end
  end

  def wait(pid) = Coppice::OS::ProcessorDemand.wait(pid)

  test "a thread that computes while another one has the processor waits" do
    skip "the kernel counts no waits" unless File.exist?("/proc/self/schedstat")
    pids = Array.new(2) { computing }

    eventually { pids.all? { |pid| wait(pid) > 0.1 } }
  ensure
    pids&.each { |pid| Process.kill(:KILL, pid) }
    pids&.each { |pid| Process.wait(pid) }
  end

  test "what is gone has waited for none" do
    pid = fork { nil }
    Process.wait(pid)

    assert_equal 0, wait(pid)
  end
end
