# frozen_string_literal: true

require "test_helper"
require_relative "../support/direct_forks"
require_relative "../support/fork_record"

# A server whose processes the kernel makes without another one in between, where it can.
class DirectForksTest < Coppice::TestCase
  GENERATIONS = 4

  # One server for all tests: made for the first of them.
  def self.record = @record ||= ForkRecord.over(generations: GENERATIONS, config: "direct_forks true")

  def lives = self.class.record.lives

  test "a library's hook on fork runs once for each of them" do
    forks_per_life = DirectForks.possible? ? 1 : 2 # the process in between
    forks = lives.select { |life| life[:role] == "worker" }.map { |life| life[:forks] }.uniq

    assert_equal (0..GENERATIONS).map { |generation| forks_per_life * ((2 * generation) + 1) }, forks.sort
  end

  test "no two processes draw the same random numbers" do
    drawn = lives.flat_map { |life| life[:drawn].values }

    assert_equal drawn.size, drawn.uniq.size, drawn.tally.select { |_, count| count > 1 }.inspect
  end

  test "each has an end of its own" do
    assert_equal lives.map { |life| life[:pid] }.sort, self.class.record.exits.sort
  end
end
