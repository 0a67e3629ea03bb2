# frozen_string_literal: true

require "test_helper"
require_relative "orders"

class OrdersTest < Coppice::TestCase
  test "one process claims an order, and its pid is known" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      orders.place(:before_fork, :kill)

      assert_equal :kill, orders.claim(:before_fork).first
      assert_nil orders.claim(:before_fork)
      assert_equal Process.pid, orders.claimed_by(:before_fork)
      refute orders.withdraw(:before_fork)
    end
  end

  test "an unclaimed order can be withdrawn, and a claimed one cleared" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      orders.place(:before_fork, :hold)

      assert orders.withdraw(:before_fork)
      orders.place(:before_fork, :hold)
      _, file = orders.claim(:before_fork)
      orders.clear(:before_fork)

      refute_path_exists file
      assert_nil orders.claimed_by(:before_fork)
    end
  end
end
