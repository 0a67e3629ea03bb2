# frozen_string_literal: true

require "test_helper"
require "coppice/fork_safety/stray_copy"
require_relative "../support/direct_forks"
require_relative "../support/sibling_forking"

# Siblings that the kernel makes without a middle process, on systems that can.
class DirectForkTest < Coppice::TestCase
  include SiblingForking

  def setup
    super
    skip "forks make no siblings on this system" unless DirectForks.possible?
  end

  def direct = forking(direct: true)

  def made_sibling? = Coppice::OS::SiblingFork.made_sibling?

  # The lines of /proc that tell of signals, as they are for this process.
  def signals = File.read("/proc/self/status").scan(/^Sig(?:Blk|Ign|Cgt):.*/)

  test "the sibling is a child of the caller's parent from the start, and the caller announces it" do
    text, = in_child do
      made = direct.call(announce: ->(pid) { @writer.puts("announced #{pid} #{Process.pid}") }) do
        @writer.puts("sibling #{Process.pid} #{Process.ppid}")
        exit!(7)
      end
      @writer.puts("caller #{Process.pid} #{made} #{made_sibling?}")
    end
    words = text.lines.to_h { |line| line.split(" ", 2) }.transform_values(&:split)
    sibling, parent = words["sibling"].map(&:to_i)

    assert_equal [sibling.to_s, words["caller"].first], words["announced"]
    assert_equal [Process.pid, %w[true true]], [parent, words["caller"].drop(1)]
    assert_equal 7, BoundedWait.status_of(sibling).exitstatus
  end

  test "signals and other forks are as before, in both processes" do
    text, = in_child do
      before = signals
      direct.call(announce: ->(_) {}) do
        @writer.puts("sibling #{signals == before} #{Process.wait2(fork { exit!(3) }).last.exitstatus}")
        exit!(0)
      end
      @writer.puts("caller #{signals == before} #{Process.wait2(fork { exit!(3) }).last.exitstatus}")
    end
    BoundedWait.status_of(-1)

    assert_equal ["caller true 3", "sibling true 3"], text.lines(chomp: true).sort
  end

  test "a wish that came to no fork is forgotten" do
    text, = in_child do
      failing = true
      Process.singleton_class.prepend(Module.new do
        define_method(:_fork) { failing ? raise(Errno::EAGAIN, "fork(2)") : super() }
      end)
      siblings = direct
      made = siblings.call(announce: ->(_) {}) { exit!(0) }
      failing = false
      child = fork { exit!(3) }
      @writer.puts("made #{made}: #{siblings.failure}, #{Process.wait2(child).last.exitstatus}")
    end

    assert_equal "made false: Resource temporarily unavailable - fork(2), 3\n", text
  end

  test "a hook of the fork that fails in the sibling makes no second caller" do
    text, = in_child do
      hook = Module.new { define_method(:_fork) { super().tap { |pid| raise ArgumentError if pid.zero? } } }
      Process.singleton_class.prepend(hook)
      $stderr.reopen(File::NULL)
      @writer.puts("made #{direct.call(announce: ->(_) {}) { exit!(0) }}")
    end

    assert_equal "made true\n", text
    assert_equal Coppice::OS::SiblingFork::CANNOT_FORK, BoundedWait.status_of(-1).exitstatus
  end

  test "a sibling outlives its caller, and can fork its own" do
    text, = in_child do
      direct.call(announce: ->(_) {}) do
        direct.call(announce: ->(_) {}) { @writer.puts("parent #{Process.ppid}") || exit!(0) }
        exit!(0)
      end
      exit!(0)
    end
    2.times { BoundedWait.status_of(-1) }

    assert_equal "parent #{Process.pid}\n", text
  end

  test "siblings are made while other threads work and signals come" do
    text, = in_child do
      trap(:USR1) { @signals = @signals.to_i + 1 }
      caller = Process.pid
      sender = fork { loop { Process.kill(:USR1, caller) } } # until there is none
      Thread.new { loop { File.stat("/") && "x" * 10_000 } }
      made = Array.new(50) { direct.call(announce: ->(_) {}) { exit!(0) } && made_sibling? }
      Process.kill(:KILL, sender)
      Process.wait(sender)
      @writer.puts("#{made.all?} #{@signals.positive?}")
    end
    statuses = Array.new(50) { BoundedWait.status_of(-1) }

    assert_equal "true true\n", text
    assert statuses.all?(&:success?)
  end
end
