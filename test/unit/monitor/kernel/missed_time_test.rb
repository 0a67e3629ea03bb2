# frozen_string_literal: true

require "test_helper"
require "coppice/monitor/kernel/missed_time"

module Coppice
  class Monitor
    class MissedTimeTest < TestCase
      test "a monitor that looks each second has missed nothing" do
        missed = MissedTime.new
        assert_equal [0.0] * 4, [100.0, 101.0, 102.5, 107.0].map { |now| missed.since_last_look(now) }
      end

      test "a longer pause was missed, once" do
        missed = MissedTime.new
        missed.since_last_look(100.0)
        assert_equal [30.0, 0.0], [130.0, 131.0].map { |now| missed.since_last_look(now) }
      end
    end
  end
end
