# frozen_string_literal: true

require "test_helper"
require "coppice/control/client"
require_relative "../support/server"

# worker_processes with two ends, under clients whose requests wait until all of them are there.
class ElasticWorkersTest < Coppice::TestCase
  # Requests for other paths wait for a lock.
  APP = <<~RUBY
    run lambda { |env|
      env["coppice.waits"]&.call if env["PATH_INFO"] == "/hint"
      File.open(ENV.fetch("DOOR")) { |door| door.flock(File::LOCK_SH) } unless env["PATH_INFO"] == "/"
      [200, {}, [Process.pid.to_s]]
    }
  RUBY

  def open_server(workers)
    Tempfile.create do |door|
      door.flock(File::LOCK_EX)
      Server.open(app: APP, config: "worker_processes #{workers}", env: { "DOOR" => door.path }) do |server|
        yield server, door
      ensure
        door.flock(File::LOCK_UN)
      end
    end
  end

  soak_test "requests that wait get a worker each, up to the most" do
    open_server("1..4") do |server, door|
      assert_equal 1, server.ready_workers.size
      clients = Array.new(4) { Thread.new { server.get("/wait").body } }
      server.wait { server.ready_workers.size == 4 }
      door.flock(File::LOCK_UN)

      assert_equal 4, clients.map(&:value).uniq.size
      status = Coppice::Control::Client.new(pid: server.pid).call("status")
      assert_includes status.grep(/^workers/).first, "; 1 to 4, as requests wait"
    end
  end

  test "a request that says that it waits has its place taken before another one waits" do
    open_server("1..2") do |server, door|
      client = Thread.new { server.get("/hint").body }
      server.wait { server.ready_workers.size == 2 }
      other = server.get("/").body
      door.flock(File::LOCK_UN)

      refute_equal client.value, other
    end
  end
end
