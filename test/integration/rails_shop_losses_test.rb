# frozen_string_literal: true

require "test_helper"
require_relative "../support/example_shop"
require_relative "../support/closed_loop"

# The example shop under load, while its processes are killed.
class RailsShopLossesTest < Coppice::TestCase
  test "a worker killed under load costs at most its own request, and a mold nothing" do
    ExampleShop.serve("worker_processes 3\ntimeout 60") do |server|
      load = ClosedLoop.new(server, clients: 2, paths: ExampleShop::PATHS)
      load.start
      server.wait { load.answers > 10 }
      kill(server, server.ready_workers.first.pid)
      server.wait { server.ready_workers.size == 3 && load.answers > 20 }

      assert_equal [0, 1, 2], server.ready_workers.map(&:nr).sort
      assert_operator load.failures.size, :<=, 1, load.failures.tally.inspect
      failures, answers = load.failures.dup, load.answers
      kill(server, server.rows(:mold).first.pid)
      server.wait { server.rows(:mold).any?(&:ready?) && load.answers > answers + 10 }
      load.stop

      assert_equal failures, load.failures
    end
  end

  def kill(server, pid)
    server.signal(:KILL, to: pid)
    server.wait { server.gone?(pid) }
  end
end
