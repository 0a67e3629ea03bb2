# frozen_string_literal: true

require "test_helper"
require "coppice/fork_safety/weak_set"

module Coppice
  module ForkSafety
    class WeakSetTest < TestCase
      def setup
        @set = WeakSet.new
      end

      test "it has what lives, each object once, and not what is only equal" do
        one = +"same"
        2.times { @set.add(one) }

        assert_equal [one], @set.to_a
        assert @set.include?(one)
        refute @set.include?(+"same")
      end

      test "it answers no garbage, also while the garbage is not swept yet" do
        fill
        GC.start(full_mark: true, immediate_sweep: false)

        assert_operator @set.to_a.size, :<, 10 # the stack may still hold some
      end

      private

      # Garbage as soon as this method has returned.
      def fill = 1000.times { @set.add(Object.new) }
    end
  end
end
