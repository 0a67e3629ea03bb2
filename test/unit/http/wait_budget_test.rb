# frozen_string_literal: true

require "test_helper"
require "support/c_program"

module Coppice
  # When a client is given up (ext/coppice/shared/wait_budget.c), by a clock of the test's own.
  class WaitBudgetTest < TestCase
    PROGRAM = CProgram.new("wait_budget_driver", "test/lobby/wait_budget_driver.c",
      "ext/coppice/shared/wait_budget.c")

    test "a client that does nothing may pause once" do
      assert_equal "paused after 1000 ms", given_up("sends", pause_ms: 1000)
      assert_equal "paused after 1000 ms", given_up("reads", pause_ms: 1000)
    end

    test "each byte ends a pause that is not too long, where any rate will do" do
      assert_equal "paused after 4000 ms", given_up("sends", [3, 1000, 1], pause_ms: 1000)
      assert_equal "paused after 1000 ms", given_up("sends", [3, 1001, 1], pause_ms: 1000)
    end

    test "a client that sends slower than the rate is slow, though it never pauses" do
      assert_equal "slow after 500 ms", given_up("sends", [1000, 20, 1], pause_ms: 500, rate: 1_000_000)
      assert_equal "slow after 2600 ms", given_up("sends", [100, 900, 800], pause_ms: 1000, rate: 1000)
    end

    test "a client that keeps the rate may send for longer than it may pause" do
      assert_equal "paused after 91000 ms", given_up("sends", [100, 900, 1000], pause_ms: 1000, rate: 1000)
    end

    # The server looks at the queue every half second.
    test "a reader that is slow, but reads, is not mistaken for one that stalls" do
      assert_equal "paused after 3000 ms", given_up("reads", [20, 80, 8000], pause_ms: 1000)
    end

    # The kernel of this machine takes megabytes for a client at once; they earn it nothing until it reads them.
    test "a reader is judged by what it reads, not by what the kernel takes for it" do
      assert_equal "slow after 1320 ms", given_up("reads", [1000, 80, 2000], pause_ms: 1000, rate: 100_000)
      assert_equal "paused after 3000 ms", given_up("reads", [25, 80, 2000], pause_ms: 1000, rate: 10_000)
    end

    private

    # phases: how often the client moves, each after how many milliseconds, and how many bytes.
    def given_up(verb, *phases, pause_ms:, rate: 0)
      PROGRAM.run(verb, *[pause_ms, rate, *phases.flatten].map(&:to_s)).chomp
    end
  end
end
