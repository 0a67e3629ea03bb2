# frozen_string_literal: true

module Bench
  # A few measurements of one quantity: the median, the quartiles, the lowest and the highest.
  class Spread
    #: (Array[Numeric]) -> void
    def initialize(values)
      @values = values.compact.sort
    end

    #: () -> Numeric?
    def median
      return if @values.empty?

      middle = @values.size / 2
      @values.size.odd? ? @values[middle] : (@values[middle - 1] + @values[middle]) / 2.0
    end

    # The lowest and the highest.
    #: () -> [Numeric?, Numeric?]
    def extremes = @values.minmax

    # The lowest and the highest of the middle half.
    #: () -> [Numeric?, Numeric?]
    def quartiles
      outside = @values.size / 4
      [@values[outside], @values[-1 - outside]]
    end

    # "39 (38–41)". Only the median if there is one value, or all look the same. A dash if there is none.
    #: (?digits: Integer) -> String
    def to_s(digits: 0)
      return "–" if @values.empty?

      low, middle, high = [@values.first, median, @values.last].map { |value| format(value, digits) }
      low == high ? middle : "#{middle} (#{low}–#{high})"
    end

    # Only the median.
    #: () -> String
    def middle = self.class.new([median]).to_s

    private

    def format(value, digits)
      whole, fraction = Kernel.format("%.#{digits}f", value).split(".")
      [whole.gsub(/(?<=\d)(?=(\d{3})+\z)/, ","), fraction].compact.join(".")
    end
  end
end
