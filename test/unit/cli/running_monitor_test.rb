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
