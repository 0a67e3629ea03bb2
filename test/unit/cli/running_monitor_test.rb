# frozen_string_literal: true

require "rbconfig"
require "test_helper"
require "coppice/os/process_stat"
require "coppice/cli"
require "coppice/cli/running_monitor"

class RunningMonitorTest < Coppice::TestCase
  OTHER_USER = %w[setpriv --reuid 1234 --clear-groups].freeze

  # The first thread ends alone, and another one goes on.
  LAST_THREAD = <<~RUBY.freeze
    require #{File.expand_path("../../support/native_thread", __dir__).inspect}
    NativeThread.start("last thread")
    CLibrary.call("pthread_exit", nil)
  RUBY

  # What a monitor publishes, until its standard input is closed. The arguments name the directory of the next release,
  # and a root directory for itself.
  MONITOR = <<~RUBY.freeze
    require "coppice/board"
    Process.setproctitle("coppice monitor")
    board = Coppice::Board.create
    board.introduce(listeners: "", next_release: ARGV.first.to_s)
    Dir.chroot(ARGV[1]) if ARGV[1]
    puts "ready"
    $stdout.flush
    $stdin.read
  RUBY
  LIBRARY = File.expand_path("../../../lib", __dir__)

  # Yields the pid of a monitor in a directory.
  def with_monitor(directory, *arguments)
    command = [*@as, RbConfig.ruby, "--disable=gems", "-I", LIBRARY, "-e", MONITOR, *arguments]
    IO.popen({ "RUBYOPT" => nil }, command, "r+", chdir: directory) do |monitor|
      assert_equal "ready\n", monitor.gets
      yield monitor.pid
      monitor.close_write
    end
  end

  # Yields the pids of two monitors. next_release: of the first one.
  def with_two_monitors(first, second, next_release:)
    with_monitor(first, next_release) { |one| with_monitor(second) { |two| yield one, two } }
  end

  def meant_in(folder, *pids, **options)
    Dir.chdir(folder) { Coppice::CLI::RunningMonitor.meant(pids, **options) }
  end

  # Yields the directories of two releases and of another application, and a symlink to the second release.
  def with_directories
    with_tmpdir do |folder|
      one, two, other, link = %w[one two other current].map { |name| "#{folder}/#{name}" }
      [one, two, other].each { |directory| Dir.mkdir(directory) }
      File.symlink(two, link)
      yield one, two, other, link
    end
  end

  test "a server is that of its directory, and of the one that its symlink leads to now" do
    with_directories do |one, two, other, link|
      with_two_monitors(one, other, next_release: link) do |ours, theirs|
        assert_equal [ours, ours, theirs], [one, two, other].map { |directory| meant_in(directory, ours, theirs) }
        assert_nil meant_in("/", ours, theirs)
      end
    end
  end

  test "the server that runs in the directory comes first; only for a roll either may be meant" do
    with_directories do |one, two, _, link|
      with_two_monitors(one, two, next_release: link) do |ours, theirs|
        assert_equal theirs, meant_in(two, ours, theirs)
        assert_nil meant_in(two, ours, theirs, to_roll: true)
      end
    end
  end

  test "the next release of a server with another root directory is none of this one's directories" do
    skip "needs root" unless Process.uid.zero?
    skip "needs setpriv(1), and a checkout that others may read" unless system(*OTHER_USER, "test", "-r", __FILE__)

    with_directories do |one, two, other, link|
      with_monitor(one, link, other) { |theirs| assert_nil meant_in(two, theirs) }
    end
  end

  test "a program never belongs to a server that does not run its release yet" do
    with_directories do |one, two, _, link|
      with_monitor(one, link) do |ours|
        assert_equal [ours, nil], [one, two].map { |folder| Coppice::CLI::RunningMonitor.running_in([folder]) }
      end
    end
  end

  test "root is told which servers other users run, with the pid to give" do
    skip "needs root" unless Process.uid.zero?
    skip "needs setpriv(1), and a checkout that others may read" unless system(*OTHER_USER, "test", "-r", __FILE__)

    @as = OTHER_USER
    with_monitor("/") do |pid|
      assert_match(/^  #{pid}  does not listen, runs in \/, as user 1234$/, Coppice::CLI::RunningMonitor.none_found)
    end
  end

  test "a user whose server has another group is told so" do
    skip "needs root" unless Process.uid.zero?
    skip "needs setpriv(1), and a checkout that others may read" unless system(*OTHER_USER, "test", "-r", __FILE__)

    @as = OTHER_USER
    with_monitor("/") do |pid|
      command = [*OTHER_USER, "--regid", "1234", RbConfig.ruby, "--disable=gems", "-I", LIBRARY,
                 "-rcoppice/cli/running_monitor", "-e", "puts Coppice::CLI::RunningMonitor.none_found"]

      assert_match(/\Athis user's server, process #{pid}, has another group \(0\), .*--socket/,
        IO.popen({ "RUBYOPT" => nil }, command, &:read))
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
