# frozen_string_literal: true

require "test_helper"
require "support/c_program"

# What the lobby learns of routes (ext/coppice/lobby/memory/route_costs.c).
class RouteCostsTest < Coppice::TestCase
  test "slow routes have the workers that quick ones do not need, as long as quick ones come" do
    program = Coppice::CProgram.new("route_costs_driver", "test/lobby/route_costs_driver.c",
      "ext/coppice/lobby/memory/route_costs.c")

    10.times { |index| assert_equal "ok\n", program.run((Minitest.seed + index).to_s) }
  end
end
