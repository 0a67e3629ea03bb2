# frozen_string_literal: true

require "test_helper"
require_relative "orders"

class OrdersTest < Coppice::TestCase
  test "an order is given to one taker, who is known" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      orders.place(:before_fork, :kill)

      assert_equal :kill, orders.claim(:before_fork).first
      assert_nil orders.claim(:before_fork)
      assert_equal Process.pid, orders.taker(:before_fork)
      refute orders.withdraw(:before_fork)
    end
  end

  test "one that nobody took can be withdrawn, and one that was taken cleared" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      orders.place(:before_fork, :hold)

      assert orders.withdraw(:before_fork)
      orders.place(:before_fork, :hold)
      _, file = orders.claim(:before_fork)
      orders.clear(:before_fork)

      refute_path_exists file
      assert_nil orders.taker(:before_fork)
    end
  end
end
