# frozen_string_literal: true

require "minitest/autorun"
require "coppice/minitest"

# Draws random data, with which the last test fails.
class RandomTest < Minitest::Test
  i_suck_and_my_tests_are_order_dependent!

  %w[1_before 2_after].each do |name|
    define_method("test_#{name}") do
      puts "drawn #{rand(1_000_000)}"
      pass
    end
  end

  def test_3_fails
    puts "failed with #{number = rand(1_000_000)}"
    assert_operator number, :<, 0
  end
end
