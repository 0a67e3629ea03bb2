# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/coppice_ext"
require "coppice/monitor/system"

# The monitor takes all children that end; its hooks, on another thread, wait for programs of their own.
class ReapingTest < Coppice::TestCase
  test "a program that another thread waits for is nobody's loss" do
    system = Coppice::Monitor::System.new
    results = nil
    hook = Thread.new { results = Array.new(100) { Kernel.system("true") } }
    system.reap while hook.alive?

    assert_equal 100, results.size
  end

  test "a child's end is told with its status and its memory" do
    child = fork { exit!(3) }
    system = Coppice::Monitor::System.new
    pid, status, peak_kib = Enumerator.produce { system.reap }.find(&:itself)

    assert_equal [child, 3], [pid, status.exitstatus]
    assert_operator peak_kib, :>, 1000
  end
end
