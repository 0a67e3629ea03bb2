# frozen_string_literal: true

# lane: soak -- workers measure themselves in real time

require "test_helper"
require_relative "../support/server"
require_relative "../support/closed_loop"

# `refork_after :auto` on a real server.
class AutoReforkTest < Coppice::TestCase
  # What a page needs is made when it is first asked for, and kept: a fork that knows it already shares it.
  LAZY = <<~RUBY
    PAGES = {}
    run(lambda do |env|
      page = PAGES[env["PATH_INFO"]] ||= Array.new(40_000) { |number| "\#{env["PATH_INFO"]} \#{number}" }
      [200, { "content-type" => "text/plain" }, [page.last]]
    end)
  RUBY

  test "what workers have made each for themselves brings a refork about, and then it is shared" do
    Server.open(app: LAZY, config: "worker_processes 2\nrefork_after :auto") do |server|
      load = ClosedLoop.new(server, clients: 2, paths: (0..19).map { |page| "/#{page}" })
      load.start
      server.wait(60, "a refork") { server.board.generation >= 1 }
      load.stop
      server.wait(60, "the rollout") { server.settled?(server.board.generation) }

      assert_empty load.failures
      row = server.rows(:mold).first
      assert_operator row.anonymous_kib, :>, 20 * 1024
      assert_operator server.ready_workers.map(&:private_at_start_kib).max, :<, row.anonymous_kib / 2
    end
  end

  test "an application that does not grow is left alone" do
    config = "worker_processes 2\nrefork_after :auto"
    Server.open(app: "run(->(_) { [200, {}, ['hello']] })", config: config) do |server|
      ClosedLoop.new(server, clients: 2, paths: ["/"]).during do
        server.wait(60, "measurements after many requests") { server.ready_workers.sum(&:measured_requests) >= 500 }
      end

      assert_equal 0, server.board.generation
    end
  end
end
