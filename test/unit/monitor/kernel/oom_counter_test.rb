# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/kernel/oom_counter"
require_relative "../../../support/fake_cgroup"

class OomCounterTest < Coppice::TestCase
  include FakeCgroup

  def counter(membership) = Coppice::Monitor::OomCounter.new(cgroup(membership))

  test "version 2: a count that moves is told once" do
    write("app/memory.events", "low 0\noom 3\noom_kill 2\n")
    counter = counter("0::/app\n")

    refute_predicate counter, :increased?
    write("app/memory.events", "low 0\noom 4\noom_kill 3\n")

    assert_predicate counter, :increased?
    refute_predicate counter, :increased?
  end

  test "two at once are told twice" do
    write("app/memory.events", "oom_kill 0\n")
    counter = counter("0::/app\n")
    write("app/memory.events", "oom_kill 2\n")

    assert_equal [true, true, false], (Array.new(3) { counter.increased? })
  end

  test "what was counted before the last look is told of no more" do
    write("app/memory.events", "oom_kill 0\n")
    counter = counter("0::/app\n")
    counter.look(100.0)
    write("app/memory.events", "oom_kill 2\n")
    counter.look(101.0) # it is too soon
    counter.look(106.0)

    assert_predicate counter, :increased?
    counter.look(112.0)

    refute_predicate counter, :increased?
    write("app/memory.events", "oom_kill 3\n")

    assert_equal [true, false], (Array.new(2) { counter.increased? })
  end

  test "version 1 counts beside the controller" do
    write("memory/app/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    counter = counter("5:cpu:/app\n4:memory:/app\n0::/\n")
    write("memory/app/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")

    assert_predicate counter, :increased?
  end

  test "in a container the path is not there, and the root is ours" do
    write("memory.events", "oom_kill 0\n")
    counter = counter("0::/kubepods/abc\n")
    write("memory.events", "oom_kill 1\n")

    assert_predicate counter, :increased?
  end

  test "without a counter, or when it goes away, nothing moves" do
    refute_predicate counter("0::/none\n"), :increased?
    write("app/memory.events", "oom_kill 2\n")
    counter = counter("0::/app\n")
    FileUtils.rm(File.join(@root, "app/memory.events"))

    refute_predicate counter, :increased?
  end
end
