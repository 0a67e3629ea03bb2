# frozen_string_literal: true

module Coppice
  # A number as a page shows it ("1.51 GiB", "16.5 ms", "3 h 05 min"), read back: independent of the code that wrote it.
  class ShownNumber
    FACTORS = { "" => 1, "B" => 1, "KiB" => 2**10, "MiB" => 2**20, "GiB" => 2**30, "TiB" => 2**40,
                "µs" => 1e-6, "ms" => 1e-3, "s" => 1, "min" => 60, "h" => 3600, "d" => 86_400,
                "%" => 0.01, "×" => 1, "k" => 1e3, "M" => 1e6, "G" => 1e9 }.freeze
    # Half of the last digit that is shown, relative to the number.
    PRECISION = 0.0055

    def initialize(text, unit)
      @text = text
      @unit = unit
    end

    # Fails unless it is `expected`, but for rounding. Ages are cut to whole seconds, or to the smaller unit shown.
    def assert_near(test, expected, path)
      return test.assert_equal("–", @text, path) if expected.nil?

      delta = [expected.abs * PRECISION, @unit == "age" ? smallest : 0, @unit == "percent" ? 0.005 : 0].max
      test.assert_in_delta(expected, value, delta + 1e-9, "#{path}: #{@text}")
    end

    private

    def parts = @text.scan(/(-?\d[\d \u00A0]*(?:\.\d+)?)[ \u00A0]*([^\d\s.-]*)/)
    def value = parts.sum { |number, unit| Float(number.delete(" \u00A0")) * FACTORS.fetch(unit) }
    def smallest = FACTORS.fetch(parts.last.last)
  end
end
