# frozen_string_literal: true

module Coppice
  class Monitor
    module ReforkCondition
      # How the private memory of a generation's workers [KiB] has grown with the requests that they served: points in
      # the order of their requests, with straight lines between them.
      class GrowthCurve
        POINTS = 128 # at most; when there are more, they are kept further apart: the shape stays

        def initialize
          @points = [[0, 0]]
          @spacing = 1
        end

        # A worker that was replaced takes its requests and its memory with it: then the curve continues from there.
        #: (Integer, Integer) -> void
        def add(requests, level)
          @points.pop while @points.size > 1 && @points.last.first >= requests
          @points.pop if @points.size > 2 && @points[-1].first - @points[-2].first < @spacing # too close to keep
          thin_out if @points.size >= POINTS
          @points << [requests, level] if requests.positive?
        end

        #: () -> Integer
        def requests = @points.last.first

        #: () -> Integer
        def level = @points.last.last

        #: (Numeric) -> Float
        def level_at(requests)
          after = @points.index { |point| point.first >= requests } or return level.to_f
          return @points[after].last.to_f if after.zero?

          (from, low), (to, high) = @points[after - 1, 2]
          low + ((high - low) * (requests - from) / (to - from).to_f)
        end

        # The area below the curve [KiB × requests], which counts as at least as high as the floor.
        #: (?floor: Numeric) -> Float
        def area(floor: 0)
          @points.each_cons(2).sum do |(from, low), (to, high)|
            (to - from) * ([low, floor].max + [high, floor].max) / 2.0
          end
        end

        # KiB for each request in the second half of the requests.
        #: () -> Float
        def slope
          requests.zero? ? 0.0 : (level - level_at(requests / 2.0)) / (requests / 2.0)
        end

        # KiB at which the latest growth would have started, had it always been as slow: what came at once.
        #: () -> Float
        def working_set = [level - (slope * requests), 0.0].max

        private

        def thin_out
          @spacing = [@spacing * 2, requests * 2 / POINTS].max
          @points = @points.each_with_object([]) do |point, kept|
            kept << point if kept.empty? || point.first - kept.last.first >= @spacing
          end
        end
      end
    end
  end
end
