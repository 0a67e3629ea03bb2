# frozen_string_literal: true

require "test_helper"
require "support/c_program"

# In which order the lobby serves clients that wait (ext/coppice/lobby/memory/turns.c).
class TurnsTest < Coppice::TestCase
  test "flows that wait share the workers' time, and none waits for ever" do
    program = Coppice::CProgram.new("turns_driver", "test/lobby/turns_driver.c", "ext/coppice/lobby/memory/turns.c")

    10.times { |index| assert_equal "ok\n", program.run((Minitest.seed + index).to_s) }
  end
end
