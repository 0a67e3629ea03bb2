# frozen_string_literal: true

require "test_helper"
require "json"
require "coppice/child/heap_preparation"

class HeapPreparationTest < Coppice::TestCase
  # What the block returns in a child, whose heap nothing else depends on.
  def in_child
    reader, writer = IO.pipe
    pid = fork do
      writer.write(JSON.generate(yield))
      exit!(0)
    end
    writer.close
    BoundedWait.status_of(pid)
    JSON.parse(reader.read)
  ensure
    reader&.close
  end

  test "what survives in a worker is old, so that its copies need not write that down" do
    young = in_child do
      kept = Array.new(10_000) { Object.new }
      Coppice::Child::HeapPreparation.settle
      [GC.stat(:heap_live_slots) - GC.stat(:old_objects), kept.size]
    end

    assert_operator young.first, :<, young.last
  end

  # A collection in a copy would write to pages that its parent has as well.
  test "there is nothing left to collect in a copy" do
    compacted = in_child do
      Coppice::Child::HeapPreparation.settle
      [Coppice::Child::HeapPreparation.fragmented?, GC.stat(:compact_count)]
    end

    assert_equal [false, 0], compacted
  end

  test "a heap whose pages nobody else has is compacted, where Ruby can" do
    compacted = in_child do
      Coppice::Child::HeapPreparation.compact
      GC.stat(:compact_count)
    end

    assert_equal Process.respond_to?(:warmup) ? 1 : 0, compacted
  end
end
