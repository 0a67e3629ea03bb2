# frozen_string_literal: true

require "test_helper"
require "coppice/mold/heap_preparation"

# The priority of a mold's warm-up is its own: workers are forked from the same process.
class HeapPreparationTest < Coppice::TestCase
  def priority = Process.getpriority(Process::PRIO_PROCESS, 0)

  test "a warm-up collects, and leaves neither a thread nor a lower priority behind" do
    before = [priority, Thread.list.size]
    collections = GC.count
    Coppice::Mold::HeapPreparation.new(:auto, shared: false).call

    assert_operator GC.count, :>, collections
    assert_equal before, [priority, Thread.list.size]
  end

  # Where this Ruby compacts: in a child, whose heap nothing else depends on.
  def compactions(shared:)
    reader, writer = IO.pipe
    pid = fork do
      before = GC.stat(:compact_count)
      Coppice::Mold::HeapPreparation.new(:auto, shared: shared).call
      writer.write(GC.stat(:compact_count) - before)
      exit!(0)
    end
    writer.close
    BoundedWait.status_of(pid)
    reader.read.to_i
  ensure
    reader&.close
  end

  test "a heap whose pages other processes share is not compacted" do
    skip "this Ruby has no Process.warmup" unless Process.respond_to?(:warmup)

    assert_equal [1, 0], [compactions(shared: false), compactions(shared: true)]
  end

  test "a heap that the configuration leaves alone is not prepared" do
    GC.start
    collections = GC.stat(:major_gc_count)
    Coppice::Mold::HeapPreparation.new(false, shared: false).call

    assert_equal collections, GC.stat(:major_gc_count)
  end
end
