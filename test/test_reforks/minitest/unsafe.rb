# frozen_string_literal: true

require "minitest/autorun"
require "coppice/minitest"
require_relative "../libraries"

%i[DeadThread CopiedFlag SharedConnection KeptConnection NativeLock].each do |name|
  Object.const_set("#{name}Test", Class.new(Minitest::Test) do
    i_suck_and_my_tests_are_order_dependent!

    define_method(:test_1_before_the_refork) { assert_predicate Libraries.fetch(name), :works? }
    define_method(:test_2_after_the_refork) { assert_predicate Libraries.fetch(name), :works? }
  end)
end
