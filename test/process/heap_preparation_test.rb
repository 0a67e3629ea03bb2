# frozen_string_literal: true

require "test_helper"
require "coppice/mold/heap_preparation"

# The priority of a mold's warm-up is its own: workers are forked from the same process.
class HeapPreparationTest < Coppice::TestCase
  def priority = Process.getpriority(Process::PRIO_PROCESS, 0)

  test "a warm-up collects, and leaves neither a thread nor a lower priority behind" do
    before = [priority, Thread.list.size]
    collections = GC.count
    Coppice::Mold::HeapPreparation.new(:auto).call

    assert_operator GC.count, :>, collections
    assert_equal before, [priority, Thread.list.size]
  end

  test "a heap that the configuration leaves alone is not prepared" do
    GC.start
    collections = GC.stat(:major_gc_count)
    Coppice::Mold::HeapPreparation.new(false).call

    assert_equal collections, GC.stat(:major_gc_count)
  end
end
