# frozen_string_literal: true

require "test_helper"
require "etc"
require "open3"
require "coppice"
require_relative "../support/compiled_extension"
require_relative "../support/direct_forks"

# A direct fork in a process with a library whose fork handler was registered before ours, and so is called after it.
class EarlyForkHandlerTest < Coppice::TestCase
  HANDLER = Coppice::CompiledExtension.path("early_fork_handler", "test/process/early_fork_handler.c")
  LIBRARY = File.expand_path("../../lib", __dir__)
  FREE_LOCK = 2.36 # the first glibc in which another thread can fork while a handler runs

  PROGRAM = <<~'RUBY'
    require "coppice"
    require "coppice/os/fork_lock"
    require "coppice/os/sibling_fork"

    signals = -> { File.read("/proc/self/status").scan(/^Sig(?:Blk|Ign|Cgt):.*/) }
    Process.wait(fork { exit!(0) })
    before = signals.call
    forking = Coppice::OS::SiblingFork.new(lock: Coppice::OS::ForkLock.new, timeout: 60, patience: 60, direct: true)
    made = forking.call(announce: ->(_) {}) { exit!(signals.call == before ? 0 : 1) }
    puts "made #{made}, at once #{Coppice::OS::SiblingFork.made_sibling?}, signals #{signals.call == before}"
  RUBY

  def setup
    Coppice::OS.become_subreaper
    skip "forks make no siblings on this system" unless DirectForks.possible?
  end

  # What PROGRAM says with a handler that does this.
  def forked(in_handler)
    environment = { "LD_PRELOAD" => HANDLER, "IN_HANDLER" => in_handler, "RUBYOPT" => nil }
    said, status = Open3.capture2e(environment, RbConfig.ruby, "--disable-gems", "-I", LIBRARY, "-e", PROGRAM)

    assert_predicate status, :success?, "#{status}: #{said}"
    assert_predicate BoundedWait.status_of(-1), :success?, "of the sibling"
    said.chomp
  end

  test "it can begin a thread: then the fork is made with a middle process" do
    assert_equal "made true, at once false, signals true", forked("thread")
  end

  test "another thread's fork meanwhile is none of ours" do
    skip "glibc holds a lock meanwhile" if Etc.confstr(Etc::CS_GNU_LIBC_VERSION)[/[\d.]+/].to_f < FREE_LOCK

    assert_equal "made true, at once true, signals true", forked("fork")
  end
end
