# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/workers/worker_count"

module Coppice
  class Monitor
    class WorkerCountTest < TestCase
      GIB = 1024 * 1024 # KiB

      def count(processors, memory = 64 * GIB, mold = nil)
        WorkerCount.new(processors: processors, memory_total_kib: memory).answer(mold_kib: mold).workers
      end

      test "three for two processors, rounded up, and never less than two" do
        assert_equal [2, 3, 5, 6, 24], ([1, 2, 3, 4, 16].map { |processors| count(processors) })
        assert_equal [2, 3, 4],
          ([Rational(1, 2), Rational(3, 2), Rational(5, 2)].map { |processors| count(processors) })
        assert_equal 1024, count(4096)
      end

      test "the mold and workers of half its size stay within 80 % of the memory" do
        assert_equal 6, count(16, 500_000, 100_000) # 400,000: the mold, and six of 50,000
        assert_equal 5, count(16, 499_999, 100_000)
        assert_equal 24, count(16, 64 * GIB, 100_000)
      end

      test "memory can want one, and never none" do
        assert_equal 1, count(4, 200_000, 100_000)
        assert_equal 1, count(4, 100_000, 100_000)
      end

      test "where a size is not known, processors decide" do
        assert_equal [6, 6], [count(4, nil, 100_000), count(4, 100_000, 0)]
      end

      test "the reason says what was decisive" do
        sizer = WorkerCount.new(processors: Rational(7, 2), memory_total_kib: GIB)

        assert_equal({ processors: 3.5 }, sizer.answer.reason_fields)
        assert_equal({ most: 14, why: :processors, processors: 3.5, mold_mib: 100, memory_mib: 1024 },
          sizer.answer(mold_kib: 100 * 1024).reason_fields)
        assert_equal({ most: 2, why: :memory, processors: 3.5, mold_mib: 400, memory_mib: 1024 },
          sizer.answer(mold_kib: 400 * 1024).reason_fields)
      end
    end
  end
end
