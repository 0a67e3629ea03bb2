# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# The limit of a request depends on whether its worker's mold has booted the application, or was a worker itself.
class ColdTimeoutsTest < Coppice::TestCase
  APP = <<~RUBY
    run(lambda do |env|
      left = env["coppice.timeout"].deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC)
      [200, {}, [left.round(-2).to_s]]
    end)
  RUBY
  CONFIG = "worker_processes 1\ntimeout 1000, cold: 3000\ntimeout_for '/own', 500\nrefork_backoff 0.1"

  def limit(server, path = "/") = Integer(server.get(path).body)

  test "a cold worker has more time until it was replaced from a warm one" do
    Server.open(app: APP, config: CONFIG) do |server|
      assert_equal [3000, 500], [limit(server), limit(server, "/own")]

      server.signal(:USR2)
      server.wait { server.settled?(1) }
      assert_equal [1000, 500], [limit(server), limit(server, "/own")]
    end
  end

  test "the worker of a mold that was promoted in place of a lost one is warm" do
    Server.open(app: APP, config: CONFIG) do |server|
      assert_equal 3000, limit(server)

      %i[mold worker].each do |role|
        lost = server.rows(role).first.pid
        server.signal(:KILL, to: lost)
        server.wait { server.gone?(lost) && server.rows(role).any?(&:ready?) }
      end
      assert_equal 1000, limit(server)
    end
  end
end
