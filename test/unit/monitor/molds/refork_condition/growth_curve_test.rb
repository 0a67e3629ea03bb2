# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/molds/refork_condition/growth_curve"

module Coppice
  class Monitor
    module ReforkCondition
      class GrowthCurveTest < TestCase
        def curve(*points)
          GrowthCurve.new.tap { |curve| points.each { |point| curve.add(*point) } }
        end

        test "it begins with nothing, and lines lead from point to point" do
          curve = curve([100, 10], [200, 40])

          assert_equal [0.0, 5.0, 10.0, 25.0, 40.0], [0, 50, 100, 150, 200].map { |requests| curve.level_at(requests) }
          assert_in_delta 40.0, curve.level_at(500)
        end

        test "the area is memory times requests, and counts the floor where the curve is below it" do
          curve = curve([100, 10])

          assert_in_delta 500.0, curve.area
          assert_in_delta 1000.0, curve.area(floor: 10)
        end

        test "steady growth has no foot, what came at once is all foot" do
          assert_in_delta 0.0, curve([100, 10], [200, 20]).working_set
          assert_in_delta 20.0, curve([10, 20], [200, 20]).working_set
          assert_in_delta 10.0, curve([10, 10], [100, 15], [200, 20]).working_set
        end

        test "lately is the second half of the requests" do
          assert_in_delta 0.1, curve([100, 50], [200, 60]).slope
          assert_in_delta 0.0, curve.slope
        end

        test "a worker that was replaced takes its requests along" do
          curve = curve([100, 10], [200, 20], [300, 30], [250, 22])

          assert_equal [250, 22], [curve.requests, curve.level]
          assert_in_delta 21.0, curve.level_at(225)
        end

        test "many points are thinned out evenly, and the shape stays" do
          curve = curve(*(1..10_000).map { |requests| [requests, [requests, 1000].min] })

          assert_equal [10_000, 1000], [curve.requests, curve.level]
          assert_in_delta 9_500_000.0, curve.area, 95_000
          assert_in_delta 500.0, curve.level_at(500), 10
          assert_operator curve.instance_variable_get(:@points).size, :<=, GrowthCurve::POINTS
        end
      end
    end
  end
end
