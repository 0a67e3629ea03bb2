# frozen_string_literal: true

require "test_helper"
require "support/c_program"

# The timers of the lobby (ext/coppice/lobby/memory/timer_wheel.c).
class TimerWheelTest < Coppice::TestCase
  test "timers fire in their tick, wherever they were armed, moved, cancelled and linked again" do
    program = Coppice::CProgram.new("timer_wheel_driver", "test/lobby/timer_wheel_driver.c",
      "ext/coppice/lobby/memory/timer_wheel.c")

    10.times { |index| assert_equal "ok\n", program.run((Minitest.seed + index).to_s) }
  end
end
