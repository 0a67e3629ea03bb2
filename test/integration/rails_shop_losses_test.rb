# frozen_string_literal: true

require "test_helper"
require_relative "../support/example_shop"
require_relative "../support/closed_loop"

# The example shop under load, while its processes are killed.
class RailsShopLossesTest < Coppice::TestCase
  test "a worker killed under load costs at most its own request" do
    ExampleShop.serve("worker_processes 3\ntimeout 60") do |server|
      load = ClosedLoop.new(server, clients: 3, paths: ExampleShop::PATHS)
      load.start
      server.wait { load.answers > 30 }
      victim = server.ready_workers.first.pid
      server.signal(:KILL, to: victim)
      server.wait { server.gone?(victim) && server.ready_workers.size == 3 && load.answers > 60 }
      load.stop

      assert_operator load.failures.size, :<=, 1, load.failures.tally.inspect
      assert_equal [0, 1, 2], server.ready_workers.map(&:nr).sort
    end
  end

  test "a mold killed under load costs nothing" do
    ExampleShop.serve("worker_processes 2\ntimeout 60") do |server|
      load = ClosedLoop.new(server, clients: 2, paths: ExampleShop::PATHS)
      load.start
      mold = server.rows(:mold).first.pid
      server.signal(:KILL, to: mold)
      server.wait { server.rows(:mold).any? { |row| row.ready? && row.pid != mold } && load.answers > 30 }
      load.stop

      assert_empty load.failures.tally
    end
  end
end
