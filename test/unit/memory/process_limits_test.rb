# frozen_string_literal: true

require "test_helper"
require "coppice/memory/process_limits"

class ProcessLimitsTest < Coppice::TestCase
  PID = 0 # whose limits are whole

  def limits(memory: nil, age: nil) = Coppice::Memory::ProcessLimits.new(memory: memory, age: age)

  test "without a limit nothing is measured" do
    refute_predicate limits, :any?
    assert_nil(limits.excess(PID, 1e9, 1000) { flunk })
  end

  test "the memory counts from an age of one minute on, by its kind" do
    limit = limits(memory: { private: 100 << 20 })
    sizes = { pss: 300 << 10, private: 101 << 10 }

    assert_equal({ why: :memory, kind: :private, mib: 101, limit_mib: 100 }, limit.excess(PID, 60.0, nil) { sizes })
    assert_nil(limit.excess(PID, 60.0, nil) { { pss: 300 << 10, private: 100 << 10 } })
    assert_nil(limit.excess(PID, 60.0, nil) { nil })
    assert_nil(limit.excess(PID, 59.0, nil) { flunk })
  end

  test "a share is one of the memory that there is, and no limit where nobody knows that" do
    limit = limits(memory: { pss: "10%" })

    assert_equal([true, false], [1000, nil].map { |total| !limit.memory_excess(PID, total, { pss: 101 }).nil? })
  end

  test "the age counts at once, and a process has up to a tenth less" do
    limit = limits(age: 1000)

    assert_equal({ why: :age, age: 1000, limit: 1000 }, limit.excess(PID, 1000.0, nil) { flunk })
    reached = (1..500).map { |pid| (900..1000).step(10).find { |age| limit.age_excess(pid, age) } }

    assert_equal [910, 1000], reached.minmax
  end
end
