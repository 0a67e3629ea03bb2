# frozen_string_literal: true

require "socket"
require "test_helper"
require "coppice/os/process_stat"
require "support/c_program"

# The lobby's two processes (ext/coppice/lobby/loop/keeper.c). Both are children of this process.
class KeeperTest < Coppice::TestCase
  PROGRAM = Coppice::CProgram.new("keeper_driver", "test/lobby/keeper_driver.c",
    "ext/coppice/lobby/loop/{keeper,sandbox}.c")
  DEATHS = 100

  def setup
    @ours, @theirs = UNIXSocket.pair(:SEQPACKET)
    @pids = {}
    @served = 0
  end

  def teardown
    [@ours, @theirs].each(&:close)
  end

  test "whichever of both is killed, the other one makes it again, and nothing is lost" do
    start
    DEATHS.times { |index| kill(index.even? ? "loop" : "keeper") }

    assert_equal 1 + (DEATHS / 2), @served
    assert_ends_with 3
  end

  test "in the sandbox, a keeper that a loop has made makes loops that make keepers" do
    start "sandboxed"
    %w[keeper loop keeper loop loop keeper keeper loop].each { |role| kill(role) }

    assert_equal 5, @served
    assert_ends_with 3
  end

  test "ps tells them apart" do
    start
    titles = @pids.transform_values { |pid| File.read("/proc/#{pid}/cmdline").delete("\0") }
    names = @pids.transform_values { |pid| File.read("/proc/#{pid}/comm").chomp }

    assert_equal({ "keeper" => "coppice lobby keeper", "loop" => "coppice lobby" }, titles)
    assert_equal({ "keeper" => "lobby keeper", "loop" => "coppice lobby" }, names)
    assert_ends_with 3
  end

  test "both share one descriptor table and one parent" do
    start
    parents = @pids.values.map { |pid| Coppice::OS::ProcessStat.of(pid).parent }
    descriptors = @pids.values.map { |pid| Dir.children("/proc/#{pid}/fd").sort }

    assert_equal [Process.pid] * 2, parents
    assert_equal(*descriptors)
    assert_ends_with 3
  end

  test "loops that die at their start come to an end" do
    IO.pipe do |output, writer|
      pid = spawn(PROGRAM.path, @theirs.fileno.to_s, "fail", @theirs => @theirs, out: writer)
      writer.close
      status = BoundedWait.status_of(pid)

      assert_equal [70, "12 loops\n"], [status.exitstatus, output.read]
    end
    reap_others
  end

  private

  def start(*words)
    pid = spawn(PROGRAM.path, @theirs.fileno.to_s, *words, @theirs => @theirs)
    @theirs.close
    await { @pids.size == 2 && @served == 1 }
    assert_equal pid, @pids["keeper"]
  end

  def await
    read_packet until yield
  end

  def read_packet
    kind, *words = BoundedWait.readable(@ours).recv(200).split
    kind == "registered" ? @pids[words[0]] = Integer(words[1]) : @served = Integer(words[0])
  end

  # Until the successor serves, or keeps.
  def kill(role)
    pid = @pids.delete(role)
    before = @served
    Process.kill(:KILL, pid)
    BoundedWait.status_of(pid)
    await { @pids[role] && (role == "keeper" || @served > before) }
  end

  def assert_ends_with(status)
    @ours.shutdown
    statuses = @pids.values.map { |pid| BoundedWait.status_of(pid) }

    assert_equal [status] * 2, statuses.map(&:exitstatus)
  end

  # Processes that have died already.
  def reap_others
    eventually { Process.wait(-1, Process::WNOHANG) && false }
  rescue Errno::ECHILD
    pass
  end
end
