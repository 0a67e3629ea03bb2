# frozen_string_literal: true

require "test_helper"
require "coppice/tools/top/units"

module Coppice
  module Top
    class UnitsTest < TestCase
      test "counts" do
        assert_equal %w[- 0 9999 10.0k 123k 1.23M 4567M],
          ([nil, 0, 9999, 10_000, 123_456, 1_234_567, 4_567_000_000].map { |number| Units.count(number) })
      end

      test "rates have a decimal where they are small" do
        assert_equal %w[- 0 0.3 99.9 100 12.3k], ([nil, 0, 0.26, 99.9, 100.2, 12_300].map { |rate| Units.rate(rate) })
      end

      test "bytes" do
        assert_equal %w[- 0K 1.00K 312M 1.25G],
          ([nil, 0, 1024, 312 << 20, (1.25 * (1 << 30)).to_i].map { |bytes| Units.bytes(bytes) })
      end

      test "seconds" do
        assert_equal %w[- 0s 850us 12.3ms 999ms 4.20s 3m20s 2h05m 3d04h],
          ([nil, 0, 0.00085, 0.0123, 0.999, 4.2, 200, 7500, 273_600].map { |seconds| Units.seconds(seconds) })
      end

      test "ages are whole seconds" do
        assert_equal %w[- 0s 17s 1m00s], ([nil, -0.2, 17.9, 60.4].map { |seconds| Units.age(seconds) })
      end

      test "shares" do
        assert_equal %w[- 0% 62.0% 100% 0.20%], ([nil, 0, 0.62, 1, 0.002].map { |share| Units.percent(share) })
      end

      test "no text is wider than its column" do
        widest = ->(unit, limit) { (-12..limit).map { |power| Units.public_send(unit, 1.7**power).size }.max }

        assert_operator widest[:seconds, 30], :<=, 6 # up to 95 days
        assert_operator widest[:bytes, 50], :<=, 5
        assert_operator widest[:count, 43], :<=, 6
      end
    end
  end
end
