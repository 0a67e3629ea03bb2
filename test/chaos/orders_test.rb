# frozen_string_literal: true

require "test_helper"
require_relative "orders"

class OrdersTest < Coppice::TestCase
  # Has the driver do something after the first call of this method of File, as if the process stood still there.
  def standing_still_after(name, driver)
    original = File.method(name)
    called = false
    once = lambda do |*arguments|
      answer = original.call(*arguments)
      called, first = true, !called
      driver.call if first
      answer
    end
    File.stub(name, once) { yield }
  end

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

      refute File.symlink?(file)
      assert_nil orders.claimed_by(:before_fork)
    end
  end

  test "a process that stood still after the claim commits what it has claimed, whatever the driver does meanwhile" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      process = Chaos::Orders.new(folder)
      orders.place(:before_fork, :kill)
      clear = -> { orders.clear(:before_fork) }

      standing_still_after(:rename, clear) { assert_equal :kill, process.claim(:before_fork).first }
    end
  end

  test "a process that stood still before the claim commits the order of that moment" do
    with_tmpdir do |folder|
      orders = Chaos::Orders.new(folder)
      orders.place(:before_fork, :kill)
      replace = lambda do
        orders.withdraw(:before_fork)
        orders.place(:before_fork, :hang)
      end

      standing_still_after(:symlink?, replace) { assert_equal :hang, orders.claim(:before_fork).first }
    end
  end
end
