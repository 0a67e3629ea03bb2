# frozen_string_literal: true

require_relative "plot"

module Bench
  # Horizontal bars, each with parts of a few kinds. Each part that is wide enough contains its number. The sum is at
  # the end.
  class BarPlot < Plot
    LEFT = 180 # for the names
    RIGHT = 60
    BAR = 22
    STEP = 32
    LEGEND = 24
    NARROW = 26 # a narrower part has no room for its number

    #: (String, subtitle: String, bars: Hash[String, Hash[String, Numeric]]) -> void
    def initialize(title, bars:, **others)
      super(title, **others)
      @bars = bars
      @most = bars.values.map { |parts| parts.values.sum }.max
    end

    private

    def height = TOP + LEGEND + (STEP * @bars.size) + 12

    def parts
      bars = @bars.each_with_index.map { |(label, parts), index| bar(label, parts, TOP + LEGEND + (index * STEP)) }
      [*legend, *bars]
    end

    def legend
      @bars.values.first.keys.each_with_index.map do |kind, index|
        left = LEFT + (index * 120)
        [part(left, TOP + 2, 12, 12, index), text(left + 18, TOP + 13, kind)]
      end
    end

    def bar(label, parts, top)
      left = LEFT
      pieces = parts.values.each_with_index.map do |value, index|
        width = place(value)
        number = text(left + (width / 2), top + 15, value.round, "in") if width >= NARROW
        piece = [part(left, top, width, BAR, index), *number]
        left += width
        piece
      end
      [text(LEFT - 10, top + 15, label, "end"), *pieces, text(left + 8, top + 15, thousands(parts.values.sum))]
    end

    def part(left, top, width, height, colour)
      "<rect class=\"f#{colour}\" x=\"#{round(left)}\" y=\"#{top}\" width=\"#{round(width)}\" height=\"#{height}\"/>"
    end

    def place(value) = @most.zero? ? 0 : (WIDTH - RIGHT - LEFT) * value / @most.to_f
  end
end
