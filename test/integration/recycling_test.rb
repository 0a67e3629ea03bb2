# frozen_string_literal: true

# lane: soak -- workers measure themselves in real time

require "test_helper"
require_relative "../support/server"

# Workers of a real server that measure themselves, and are replaced when they are over a limit.
class RecyclingIntegrationTest < Coppice::TestCase
  # `/grow` keeps 4 MiB forever.
  APP = <<~RUBY
    KEPT = []
    run(lambda do |env|
      KEPT << ("x" * (4 << 20)) if env["PATH_INFO"] == "/grow"
      [200, { "content-type" => "text/plain" }, [Process.pid.to_s]]
    end)
  RUBY

  def serve(config, &block) = Server.open(app: APP, config: "worker_processes 2\n#{config}", &block)

  def pids(server) = server.ready_workers.map(&:pid)

  # Asks until the block is content.
  def ask_until(server, path)
    server.wait(60, path) do
      server.get(path)
      yield
    end
  end

  test "each process has measured itself when it is ready" do
    serve("") do |server|
      server.board.rows.each do |row|
        assert_operator row.measured_ms, :>, 0
        assert_operator row.rss_kib, :>=, row.pss_kib
        assert_operator row.pss_kib, :>=, row.private_kib
        assert_operator row.private_kib, :>, 0
        assert_operator row.anonymous_kib, :>, 0
        assert_operator row.private_at_start_kib, :>, 0
      end
    end
  end

  test "a worker puts down what it has grown by, between its requests" do
    serve("") do |server|
      ask_until(server, "/grow") do
        server.ready_workers.any? { |row| row.private_kib - row.private_at_start_kib > 4000 }
      end
      grown = server.ready_workers.max_by(&:private_kib)

      assert_operator grown.measured_requests, :>, 0
      assert_operator grown.measured_requests, :<=, grown.requests
      assert_operator grown.cpu_ms, :>=, grown.cpu_at_start_ms
    end
  end

  test "a worker over its memory limit is replaced by a fork that is not, of the same generation" do
    serve("worker_memory_limit({ private: 64 << 20 })") do |server|
      first = pids(server)
      ask_until(server, "/grow") { (first - pids(server)).any? }
      # The other one may be over the limit as well, and is replaced seconds later.
      server.wait { server.settled?(0) && server.ready_workers.map(&:private_kib).all? { |kib| kib < 64 << 10 } }

      assert_equal 0, server.board.generation
    end
  end

  test "a worker that has served enough is replaced, and no request is lost" do
    serve("worker_max_requests 20") do |server|
      first = pids(server)
      answers = []
      server.wait(60) do
        answers << server.get.status
        (first & pids(server)).empty?
      end

      assert_equal [200], answers.uniq
      server.wait { server.settled?(0) }
    end
  end
end
