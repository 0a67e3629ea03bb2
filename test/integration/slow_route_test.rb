# frozen_string_literal: true

# lane: soak -- others count as coming for a minute; test/unit/lobby/fair_queue_test.rb has no clock

require "test_helper"
require_relative "../support/closed_loop"
require_relative "../support/gate"
require_relative "../support/server"

# A route that hangs does not take all workers, and the operator learns which one it is.
class SlowRouteTest < Coppice::TestCase
  APP = <<~RUBY.freeze
    run(lambda do |env|
      #{Gate.code("gate")} if env["PATH_INFO"].start_with?("/reports/")
      [200, { "content-type" => "text/plain" }, ["served"]]
    end)
  RUBY

  test "others are served while one route hangs, and its requests are answered in the end" do
    Server.open(app: APP, config: "worker_processes 4\nqueue_timeout nil", lobby: true) do |server|
      hanging = nil
      others = ClosedLoop.new(server, clients: 1, paths: ["/quick"])
      Gate.new(server.path("gate")).closed do
        others.during do
          server.wait { others.answers >= 10 }
          hanging = Array.new(6) { |nr| server.connect.tap { |client| client.write(get("/reports/#{nr}")) } }
          server.wait { server.board.lobby.held_back.positive? }
          assert_equal "GET /reports/*", server.board.lobby.held_route
          before = others.answers
          server.wait { others.answers > before + 20 }
        end
      end
      assert_empty others.failures
      hanging.each { |client| assert_match(/\AHTTP.1.1 200/, BoundedWait.readable(client, 60, "no answer").gets) }
      hanging.each(&:close)
      assert_match(/msg="requests of a slow route wait, others come first" route="GET .reports.\*"/, server.log)
    end
  end

  def get(path) = "GET #{path} HTTP/1.1\r\nHost: test\r\n\r\n"
end
