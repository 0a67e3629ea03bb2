# frozen_string_literal: true

require "test_helper"
require "coppice/coppice_ext"
require_relative "../../support/c_library"

module Coppice
  class StopTimersTest < TestCase
    # Numbers of setitimer(2), with how long each runs: longer than any test.
    TIMERS = { real: 0, virtual: 1, profiling: 2 }.freeze
    DURATION = [0, 0, 3600, 0].pack("l!4")

    test "no interval timer of a profiler goes on, whose signal would end the next program" do
      TIMERS.each_value { |number| assert_equal 0, CLibrary.call("setitimer", number, DURATION, nil) }
      assert_equal [true] * 3, running

      OS.stop_timers

      assert_equal [false] * 3, running
    end

    private

    def running
      TIMERS.each_value.map do |number|
        left = "\0".b * DURATION.bytesize
        CLibrary.call("getitimer", number, left, nil)
        left.unpack("l!4").sum.positive?
      end
    end
  end
end
