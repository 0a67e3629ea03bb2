# frozen_string_literal: true

# lane: soak -- workers that hang in a connection

require "test_helper"
require_relative "../support/gate"
require_relative "../support/server"

# Workers that connect to the databases of the worker whose copy is their mold, before they are ready. With a stand-in
# for Active Record: test/presets/activerecord_test.rb has the real one.
class ReconnectionTest < Coppice::TestCase
  # The database hangs at the gate, and is down while there is a file "down". Like that of Active Record, the pool
  # forgets in a copy that it was connected. The application answers whether it found a connection, and connects for
  # /connect.
  APP = <<~RUBY.freeze
    Gem.loaded_specs["activerecord"] = Gem::Specification.new("activerecord", "8.1.4")
    module ActiveRecord
      class Base
        def self.connection_handler = POOL
      end
    end
    Pool = Struct.new(:owner) do
      def connection_pool_list(_role) = [self]
      def pool_config = self
      def connected? = owner == Process.pid
      def with_connection = yield(self)
      def clear! = self.owner = nil

      def verify!
        #{Gate.code('gate')}
        File.write("asked", "\#{Process.pid}\n", mode: "a")
        raise "connection refused" if File.exist?("down")

        self.owner = Process.pid
      end
    end
    POOL = Pool.new
    run(lambda do |env|
      found = POOL.connected?
      POOL.verify! if env["PATH_INFO"] == "/connect"
      [200, {}, [found.to_s]]
    end)
  RUBY

  test "the first request of a worker finds a connection, whatever the user's hook has closed before the fork" do
    start("before_fork { POOL.clear! }") do |server|
      assert_equal %w[false true], Array.new(2) { found(server, "/connect") }
      refork(server, 1)

      assert_equal "true", found(server)
      refork(server, 2)

      assert_equal "true", found(server)
    end
  end

  test "a database that no request has used is not connected" do
    start { |server| refute_connected(server) }
  end

  test "nothing is connected when the preset is turned off" do
    start("fork_safety_presets except: [:activerecord]") do |server|
      found(server, "/connect")
      refute_connected(server)
    end
  end

  test "a database that is down keeps no worker from being ready" do
    start do |server|
      found(server, "/connect")
      File.write(server.path("down"), "")
      refute_connected(server)

      assert_includes File.readlines(server.path("asked"), chomp: true), server.ready_workers.first.pid.to_s
    end
  end

  test "a worker that hangs in a connection is replaced by one that does not connect, and the next generation does" do
    start("spawn_timeout 6") do |server|
      found(server, "/connect")
      Gate.new(server.path("gate")).closed { refute_connected(server) }
      found(server, "/connect")
      refork(server, 2)

      assert_equal "true", found(server)
    end
  end

  private

  def start(config = "", &block)
    Server.open(app: APP, config: "worker_processes 1\nrefork_backoff 0\n#{config}", &block)
  end

  def refute_connected(server)
    refork(server, 1)

    assert_equal "false", found(server)
  end

  def refork(server, generation)
    server.signal(:USR2)
    server.wait(60, "generation #{generation}") { server.settled?(generation) }
  end

  def found(server, path = "/") = server.get(path).body
end
