# frozen_string_literal: true

require "test_helper"
require "coppice/os/process_stat"

class ProcessStatTest < Coppice::TestCase
  ProcessStat = Coppice::OS::ProcessStat

  # Yields the pid of a child that runs until the block has ended.
  def with_child(pid = fork { sleep })
    yield pid
  ensure
    Process.kill(:KILL, pid)
    Process.wait(pid)
  end

  def wait(pid, &look) = BoundedWait.wait(60, "another state") { look.call(ProcessStat.of(pid)) }

  test "the parent, and the states of a child that is stopped and continued" do
    with_child do |pid|
      assert_equal Process.pid, ProcessStat.of(pid).parent
      refute_predicate ProcessStat.of(pid), :stopped?
      Process.kill(:STOP, pid)
      wait(pid, &:stopped?)

      assert_equal [false, false], [ProcessStat.of(pid).zombie?, ProcessStat.of(pid).ended?]
      Process.kill(:CONT, pid)
      wait(pid) { |stat| !stat.stopped? }
    end
  end

  test "a child that has exited is a zombie until it is reaped, and then nothing" do
    pid = fork { exit!(0) }
    wait(pid, &:zombie?)

    assert_predicate ProcessStat.of(pid), :ended?
    Process.wait(pid)

    assert_nil ProcessStat.of(pid)
  end

  test "a copy is not another program, and one that has called exec is" do
    with_child { |pid| refute_predicate ProcessStat.of(pid), :replaced? }
    with_child(Process.spawn("sleep", "3600")) { |pid| wait(pid, &:replaced?) }
  end

  test "a process group has others in it until they have ended" do
    leader = Process.spawn("sleep", "3600", pgroup: true)

    assert ProcessStat.others_in_group?(leader)
    Process.kill(:KILL, leader)
    wait(leader, &:zombie?)

    refute ProcessStat.others_in_group?(leader)
  ensure
    Process.wait(leader)
  end

  test "a process is not taken for another program where the kernel tells no flags" do
    refute_predicate ProcessStat.new(%w[S 1 1 1 0 -1 0]), :replaced?
    assert_predicate ProcessStat.new(%w[S 1 1 1 0 -1 4194304]), :replaced?
  end

  test "a name with spaces and parentheses is no state" do
    with_child(fork { File.write("/proc/self/comm", "x) Z 1") && sleep }) do |pid|
      BoundedWait.wait(60, "no name") { File.read("/proc/#{pid}/comm").start_with?("x)") }

      refute_predicate ProcessStat.of(pid), :zombie?
      assert_equal Process.pid, ProcessStat.of(pid).parent
    end
  end

  test "the CPU time grows" do
    before = ProcessStat.of(Process.pid).cpu_us
    later = -> { 100_000.times { :busy } && ProcessStat.of(Process.pid).cpu_us }

    assert BoundedWait.wait(60, "no CPU time") { later.call > before }
  end
end
