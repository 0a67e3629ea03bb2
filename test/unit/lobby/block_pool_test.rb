# frozen_string_literal: true

require "test_helper"
require "support/c_program"

# The blocks of the lobby's memory (ext/coppice/lobby/memory/block_pool.c).
class BlockPoolTest < Coppice::TestCase
  test "blocks have one owner, lowest first, and free ones are given back to the system" do
    program = Coppice::CProgram.new("block_pool_driver", "test/lobby/block_pool_driver.c",
      "ext/coppice/lobby/memory/block_pool.c")

    5.times { |index| assert_equal "ok\n", program.run((Minitest.seed + index).to_s) }
  end
end
