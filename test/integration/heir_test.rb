# frozen_string_literal: true

require "test_helper"
require "coppice/control/status_page"
require "coppice/stats"
require_relative "../support/server_over_tcp"

# A route that makes each worker unsafe to fork, in a server that goes on reforking.
class HeirTest < Coppice::TestCase
  APP = <<~'RUBY'
    run(lambda do |env|
      Coppice::Info.no_longer_fork_safe! if env["PATH_INFO"].start_with?("/call/")
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def heir(server) = server.rows(:worker).find { |row| row.heir == 1 }

  test "it is spared the route, and reforks go on" do
    ServerOverTcp.open(app: APP, config: "worker_processes 3\n") do |server|
      server.get("/call/1")
      server.wait { heir(server) }
      3.times do |generation|
        20.times { |number| server.get("/call/#{number}") }
        server.wait { heir(server)&.fork_safe? } # the first one may get a request before the lobby knows who it is
        server.signal(:USR2)
        server.wait { server.get("/") && server.settled?(generation + 1) } # one that has served is promoted
      end
      refute_includes server.log, "fork_safe_workers"
      assert_includes status(server), "heir"
      assert_match(%r{worker \d, spared GET /call/\* \(no_longer_fork_safe!\)}, status(server))
    end
  end

  def status(server) = Coppice::Control::StatusPage.new(Coppice::Stats.new(server.board).to_h).lines.join("\n")
end
