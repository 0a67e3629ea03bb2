# frozen_string_literal: true

require_relative "plot"

module Bench
  # A plot with a few lines. The name of each line stands at its end. `colour` is below Plot::COLOURS; lines of the same
  # colour differ in their dashes.
  class LinePlot < Plot
    Line = Struct.new(:label, :points, :colour, :dash, keyword_init: true)

    DASHES = ["none", "8 4", "2 4"].freeze
    LEFT = 64
    RIGHT = 200 # for the names
    BOTTOM = 44
    LABEL = 16 # height of a name

    #: (String, subtitle: String, below: String, lines: Array[Line]) -> void
    def initialize(title, below:, lines:, **others)
      super(title, **others)
      @below = below
      @lines = lines
      @xs = ticks(lines.flat_map(&:points).map(&:first).max)
      @ys = ticks(lines.flat_map(&:points).map(&:last).max)
    end

    private

    def height = 420

    def parts = [*grid, *@lines.map { |line| path(line) }, *names, text(middle, height - 8, @below, "middle")]

    def grid
      level = @ys.map do |y|
        [rule([LEFT, place_y(y)], [WIDTH - RIGHT, place_y(y)]), text(LEFT - 8, place_y(y) + 4, thousands(y), "end")]
      end
      level + @xs.map { |x| text(place_x(x), height - BOTTOM + 18, thousands(x), "middle") }
    end

    def path(line)
      places = line.points.map { |x, y| [round(place_x(x)), round(place_y(y))] }
      way = places.map { |place| place.join(" ") }.join("L")
      ["<path class=\"line s#{line.colour}\" stroke-dasharray=\"#{DASHES[line.dash]}\" d=\"M#{way}\"/>",
       *places.map { |x, y| "<circle class=\"f#{line.colour}\" cx=\"#{x}\" cy=\"#{y}\" r=\"3\"/>" }]
    end

    # Each name at the height of the end of its line. Names that would overlap are moved apart.
    def names
      lines = @lines.sort_by { |line| line.points.last.last }.reverse
      lines.zip(apart(lines.map { |line| place_y(line.points.last.last) })).map do |line, y|
        x, value = line.points.last
        text(place_x(x) + 10, y + 4, "#{line.label} #{thousands(value)}", "t#{line.colour}")
      end
    end

    # First from top to bottom, then upwards from the lower edge.
    def apart(heights)
      down = heights.inject([]) { |done, y| done << [y, (done.last || -LABEL) + LABEL].max }
      down.reverse.inject([]) { |done, y| done << [y, (done.last || height) - LABEL].min }.reverse
    end

    def middle = (LEFT + WIDTH - RIGHT) / 2
    def place_x(value) = LEFT + ((WIDTH - RIGHT - LEFT) * value / @xs.last.to_f)
    def place_y(value) = height - BOTTOM - ((height - BOTTOM - TOP - 8) * value / @ys.last.to_f)
  end
end
