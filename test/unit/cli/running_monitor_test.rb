# frozen_string_literal: true

require "rbconfig"
require "test_helper"
require "coppice/os/process_stat"
require "coppice/cli"
require "coppice/cli/running_monitor"

class RunningMonitorTest < Coppice::TestCase
  # The first thread ends alone, and another one goes on.
  LAST_THREAD = <<~RUBY.freeze
    require #{File.expand_path("../../support/native_thread", __dir__).inspect}
    NativeThread.start("last thread")
    Fiddle::Function.new(Fiddle::Handle::DEFAULT["pthread_exit"], [Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOID).call(nil)
  RUBY

  # What a monitor publishes, until its standard input is closed. The argument names the directory of the next release.
  MONITOR = <<~RUBY.freeze
    require "coppice/board"
    board = Coppice::Board.create
    board.introduce(listeners: "", next_release: ARGV.first.to_s)
    puts "ready"
    $stdout.flush
    $stdin.read
  RUBY
  LIBRARY = File.expand_path("../../../lib", __dir__)

  # Yields the pid of a monitor in a directory.
  def with_monitor(directory, *next_release)
    command = [RbConfig.ruby, "--disable=gems", "-I", LIBRARY, "-e", MONITOR, *next_release]
    IO.popen({ "RUBYOPT" => nil }, command, "r+", chdir: directory) do |monitor|
      assert_equal "ready\n", monitor.gets
      yield monitor.pid
      monitor.close_write
    end
  end

  def found_in(folder, *pids)
    Dir.chdir(folder) { Coppice::CLI::RunningMonitor.running_in(["."], among: pids) }
  end

  test "a server is that of its release's directory, and of the one that its symlink leads to now" do
    with_tmpdir do |folder|
      one, two, other, link = %w[one two other current].map { |name| "#{folder}/#{name}" }
      [one, two, other].each { |directory| Dir.mkdir(directory) }
      File.symlink(two, link)
      with_monitor(one, link) do |ours|
        with_monitor(other) do |theirs|
          assert_equal [ours, ours, theirs], [one, two, other].map { |directory| found_in(directory, ours, theirs) }
          assert_nil found_in("/", ours, theirs)
        end
        with_monitor(two) { |theirs| assert_nil found_in(two, ours, theirs), "either may be meant" }
      end
    end
  end

  test "a monitor runs until its last thread has exited" do
    pid = Process.spawn({ "RUBYOPT" => nil }, RbConfig.ruby, "-W0", "-e", LAST_THREAD)
    eventually { Coppice::OS::ProcessStat.of(pid).zombie? }

    assert Coppice::CLI::RunningMonitor.running?(pid)
    Process.kill(:KILL, pid)
    eventually { !Coppice::CLI::RunningMonitor.running?(pid) }
  ensure
    Process.kill(:KILL, pid)
    BoundedWait.status_of(pid)
  end
end
