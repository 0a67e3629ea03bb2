# frozen_string_literal: true

require "test_helper"
require "coppice/config/settings"
require "coppice/monitor/kernel/system"
require "coppice/release"
require_relative "../support/sibling_forking"

# Where the kernel has no process left, Ruby's fork and spawn try again each second, forever.
class ForkProbeTest < Coppice::TestCase
  include SiblingForking

  NOBODY = 65_534

  # For this process and those that it forks: root may have any number of processes, and its limit is that of all
  # processes of a user.
  def leave_no_process
    Process::Sys.setuid(NOBODY) if Process.euid.zero?
    Process.setrlimit(:NPROC, 1, 1)
    true
  end

  test "a fork that the kernel refuses says so" do
    text, = in_child do
      leave_no_process
      fork = forking
      @writer.write("#{fork.call(announce: ->(_) {}) { exit!(0) }}: #{fork.failure}")
    end

    assert_equal "false: #{Errno::EAGAIN.new('fork').message}", text
  end

  test "a middle process that can fork no more exits" do
    text, = in_child do
      $stderr.reopen(File::NULL)
      fork, limit = forking, method(:leave_no_process)
      fork.define_singleton_method(:live) { |*arguments, &life| limit.call && super(*arguments, &life) }
      @writer.write("#{fork.call(announce: ->(_) {}) { exit!(0) }}: #{fork.failure}")
    end

    assert_equal "false: the middle process exited with status 71: standard error says why", text
  end

  test "the monitor is told of it as of any other error of the system" do
    text, = in_child do
      release = Coppice::Release.first(Coppice::Config::Settings.new(values: { setpgid: false }, rackup: "config.ru"))
      leave_no_process
      system = Coppice::Monitor::System.new
      system.spawn_observer(system.channel_pair.first, release)
    rescue Errno::EAGAIN => error
      @writer.write(error.message)
    end

    assert_equal Errno::EAGAIN.new("fork").message, text
  end

  test "nobody notices the process that is asked for" do
    text, = in_child do
      trap(:CHLD) { @writer.write("a child has exited") }
      Coppice::OS.probe_fork
      Process.wait
    rescue Errno::ECHILD
      @writer.write("no child")
    end

    assert_equal "no child", text
  end
end
