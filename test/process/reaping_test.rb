# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/monitor/kernel/system"

# How the monitor learns which children have exited, and how.
class ReapingTest < Coppice::TestCase
  def setup
    @system = Coppice::Monitor::System.new
  end

  def child_that_exited(status)
    fork { exit!(status) }.tap { |pid| await_exit(pid) }
  end

  # Leaves the child unreaped.
  def await_exit(child) = eventually { Coppice::OS.exited_child(child) }

  test "a reaped child tells its exit status and its peak memory" do
    child = child_that_exited(3)
    status, peak_kib = @system.reap(child)

    assert_equal 3, status.exitstatus
    assert_operator peak_kib, :>, 1000
  end

  test "with a child comes the CPU time that it took" do
    child = fork do
      nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) < 0.05
      exit!(0)
    end
    await_exit(child)

    cpu_us = 0
    @system.reap(child) do |time|
      cpu_us = time

      assert_path_exists "/proc/#{child}"
    end

    assert_operator cpu_us, :>=, 50_000
  end

  test "a process is lost when it is gone, or a zombie of another parent" do
    reader, writer = IO.pipe
    parent = fork do
      child = fork { exit!(0) }
      await_exit(child)
      writer.puts(child)
      sleep
    end
    zombie = reader.gets.to_i

    assert @system.lost?(zombie)
    refute @system.lost?(parent)
    own = child_that_exited(0)

    refute @system.lost?(own)
    BoundedWait.status_of(own)

    assert @system.lost?(own)
  ensure
    [reader, writer].each(&:close)
    Process.kill(:KILL, parent)
    BoundedWait.status_of(parent)
  end

  test "a process that was forked is replaced once it has called exec" do
    reader, writer = IO.pipe
    program = fork { exec("sleep", "3600") }
    writer.close
    reader.read # until exec has closed its copy
    forked = fork { sleep }

    assert @system.replaced?(program)
    refute @system.replaced?(forked)
    refute @system.replaced?(0)
  ensure
    reader.close
    [program, forked].each { |pid| Process.kill(:KILL, pid) && BoundedWait.status_of(pid) }
  end

  test "a child that runs, and a process that is no child, cannot be reaped" do
    reader, writer = IO.pipe
    child = fork do
      writer.close
      reader.read
      exit!(0)
    end
    reader.close

    assert_nil @system.reap(child)
    assert_nil @system.reap(Process.ppid)
  ensure
    writer.close
    BoundedWait.status_of(child)
  end

  test "known children that exited are named one after the other, as they are reaped" do
    children = [child_that_exited(0), child_that_exited(1), child_that_exited(2)]
    known = children.to_h { |child| [child, true] }
    named = Array.new(3) { @system.exited_children(known).each { |pid| @system.reap(pid) } }

    assert_equal children.map { |child| [child] }.sort, named.sort
    assert_empty @system.exited_children(known)
  end

  test "where a stranger has exited, all that have are named" do
    children = [child_that_exited(0), child_that_exited(1)]

    assert_equal children.sort, @system.exited_children({}).sort
    children.each { |child| @system.reap(child) }
    assert_empty @system.exited_children({})
  end
end
