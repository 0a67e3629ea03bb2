# frozen_string_literal: true

require "test_helper"
require_relative "plan"
require_relative "server"

class PlanTest < Coppice::TestCase
  def lives(seed, count) = Array.new(count) { |number| Chaos::Plan.new(seed).life(number) }

  def words(seed) = lives(seed, 12).map { |life| [life.settings, life.rounds.flatten.map(&:to_s), life.ending.to_s] }

  test "the same seed makes the same plan, and another seed makes another one" do
    assert_equal words(7), words(7)
    refute_equal words(7), words(8)
  end

  test "a short life is the beginning of a long one" do
    short, long = [2, 12].map { |rounds| Chaos::Plan.new(7, rounds: rounds).life(1).rounds.map { |faults| faults.map(&:to_s) } }

    assert_equal long.first(2), short
  end

  test "clients come through a lobby where the plan says so" do
    lives(7, 3).each do |life|
      server = Chaos::Server.new(workers: 2, **life.to_h.slice(:settings, :lobby))

      assert_equal [life.lobby, true], [server.lobby?, server.listen.end_with?("lobby: #{life.lobby}")]
    ensure
      server&.clean_up
    end
  end

  test "every kind of fault and every ending occurs" do
    lives = lives(1, 40)

    assert_empty Chaos::Faults::WEIGHTS.keys - lives.flat_map { |life| life.rounds.flatten.map(&:class) }
    assert_equal Chaos::Endings::ALL.map(&:name).sort, lives.map { |life| life.ending.name }.uniq.sort
  end
end
