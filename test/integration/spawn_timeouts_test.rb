# frozen_string_literal: true

# lane: soak -- waits for limits of seconds

require "test_helper"
require "coppice/stats"
require_relative "../support/server"

# Processes that never get ready.
class SpawnTimeoutsTest < Coppice::TestCase
  APP = 'run ->(_env) { [200, { "content-type" => "text/plain" }, ["ready"]] }'

  test "a worker that hangs before it is ready is killed and another one tried" do
    marker = File.join(Dir.tmpdir, "coppice-spawn-#{Process.pid}")
    config = <<~RUBY
      worker_processes 2
      spawn_timeout 6 # a mold that stands still while it forks is not one of them
      after_worker_fork do |_server, worker|
        if worker.nr == 1 && !File.exist?(#{marker.inspect})
          File.write(#{marker.inspect}, "")
          Process.kill(:STOP, Process.pid)
        end
      end
    RUBY
    Server.open(app: APP, config: config) do |server|
      assert_path_exists marker
      assert_equal [0, 1], server.ready_workers.map(&:nr).sort
    end
  ensure
    FileUtils.rm_f(marker)
  end

  test "a mold whose hook hangs is given up, and the old one stays" do
    config = <<~RUBY
      worker_processes 2
      spawn_timeout 2 # a mold has three times as long, and so has the worker that is to fork it
      refork_backoff 0.1
      after_mold_fork { |_server, mold| Process.kill(:STOP, Process.pid) if mold.generation.positive? }
    RUBY
    Server.open(app: APP, config: config) do |server|
      mold = server.rows(:mold).first.pid
      workers = server.ready_workers.map(&:pid)
      stats = Coppice::Stats.new(server.board)
      server.signal(:USR2)
      server.wait { stats.to_h[:recent_exits].any? { |exit| exit.values_at(:role, :cause) == %w[mold spawn_timeout] } }
      server.wait { server.rows(:mold).map(&:pid) == [mold] }

      assert_equal workers.sort, server.ready_workers.map(&:pid).sort
      assert_equal 200, server.get.status
    end
  end

  test "too many spawn errors in a row end the server with status 1" do
    config = "worker_processes 1\nmax_consecutive_spawn_errors 3\nafter_worker_fork { |_server, _worker| raise 'no' }"
    Server.open(app: APP, config: config, ready: false) do |server|
      assert_equal 1, server.wait_for_end.exitstatus
    end
  end
end
