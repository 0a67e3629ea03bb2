# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# Who must not be promoted once no_longer_fork_safe! was called, and where.
class NoLongerForkSafeTest < Coppice::TestCase
  APP = <<~RUBY
    Coppice::Info.no_longer_fork_safe! if File.exist?("unsafe")
    run(lambda do |env|
      Coppice::Info.no_longer_fork_safe! if env["PATH_INFO"] == "/unsafe"
      [200, { "content-type" => "text/plain" }, [Coppice::Info.fork_safe?.to_s]]
    end)
  RUBY

  test "called while the application is loaded, it holds for every worker" do
    Server.open(app: %(File.write("unsafe", "")\n#{APP}), config: "worker_processes 2") do |server|
      assert_equal "false", server.get.body
      assert_equal [1, 1, 1], server.board.rows.map(&:not_fork_safe)
    end
  end

  test "called in a worker, it holds for that worker, and not for the one in its place after a refork" do
    Server.open(app: APP, config: "worker_processes 2\naccept_order :fair") do |server|
      server.get("/unsafe")
      server.wait { server.rows(:worker).sum(&:not_fork_safe) == 1 }
      server.wait { server.get && server.ready_workers.all? { |row| row.requests.positive? } }
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_equal [0, 0, 0], server.board.rows.map(&:not_fork_safe)
    end
  end
end
