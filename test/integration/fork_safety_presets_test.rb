# frozen_string_literal: true

require "test_helper"
require_relative "../presets/support/echo_server"
require_relative "../presets/support/traffic"
require_relative "../support/server"

# The presets within a server, with the one for Net::HTTP, which needs no gem. bin/presets tests the others.
class ForkSafetyPresetsTest < Coppice::TestCase
  # Loads the library in the first request: it was not there when the application was loaded.
  APP = <<~'RUBY'
    run(lambda do |env|
      require "net/http"
      http = $http ||= Net::HTTP.start("127.0.0.1", Integer(ENV.fetch("ECHO_PORT")), keep_alive_timeout: 60)
      [200, {}, ["#{http.post("/#{env["QUERY_STRING"]}", "").body} #{Process.pid}"]]
    end)
  RUBY
  CONFIG = <<~'RUBY'
    worker_processes 2
    accept_order :fair
    note = ->(name) { File.write("notes", "#{name} #{$http&.started?.inspect}\n", mode: "a") }
    after_mold_fork { |_server, mold| note.call(mold.generation) }
  RUBY

  test "the preset of a library that was loaded late acts before the user's hook" do
    failures = failures_of(CONFIG) do |server|
      assert_equal ["0 nil", "1 false"], File.readlines(server.path("notes"), chomp: true)
    end

    assert_empty failures
  end

  soak_test "a preset that is turned off does nothing" do
    failures = failures_of("#{CONFIG}\nfork_safety_presets except: [:net_http]") do |server|
      assert_equal ["0 nil", "1 true"], File.readlines(server.path("notes"), chomp: true)
    end

    refute_empty failures
  end

  # In the place of the gem, which notes in a process that it has used libcurl.
  ETHON = <<~'RUBY'
    Gem.loaded_specs["ethon"] = Gem::Specification.new("ethon", "0.19.1")
    module Ethon
      Easy = Class.new
      Curl = Module.new
      Curl.class_variable_set(:@@initialized, false)
    end
    run(lambda do |env|
      Ethon::Curl.class_variable_set(:@@initialized, true) if env["coppice.worker"].nr == 1
      [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
    end)
  RUBY

  test "a worker that a preset finds unsafe is not promoted" do
    Server.open(app: ETHON, config: CONFIG) do |server|
      traffic = Coppice::Traffic.new(server)
      traffic.run do
        server.wait { server.ready_workers.find { |row| row.nr == 1 && row.requests > 50 } }
        traffic.stop
        server.signal(:USR2)
        server.wait(60) { server.settled?(1) }
      end
      mold = server.rows(:mold).first

      assert_equal 0, mold.not_fork_safe
      assert_empty traffic.failures
      assert_equal %w[0 1], File.readlines(server.path("notes")).map { |line| line[0] }
      refute_match(/level=(warn|error)/, server.log)
    end
  end

  # In the place of the gem, whose threads have this name.
  VIPS = <<~'RUBY'
    Gem.loaded_specs["ruby-vips"] = Gem::Specification.new("ruby-vips", "2.3.0")
    module Vips
      Image = Class.new
    end
    run(lambda do |env|
      $image ||= Thread.new { sleep }.tap { |thread| thread.name = "libvips worker" }
      if env["PATH_INFO"] == "/end"
        $image.name = "other" # Ruby 3.1 keeps the native thread of an ended one for a while, with its name
        Coppice::Info.instance_variable_get(:@row).not_fork_safe = 2 # milliseconds: long ago
      end
      [200, {}, []]
    end)
  RUBY

  test "a worker that a preset finds unsafe for now is asked again once its rest is over" do
    Server.open(app: VIPS, config: "worker_processes 1") do |server|
      server.get("/image")
      server.signal(:USR2)
      worker = server.ready_workers.first
      server.wait { !worker.fork_safe? }

      assert_operator worker.not_fork_safe, :>, 1
      server.get("/end")
      server.signal(:USR2)
      server.wait(60) { server.settled?(1) }
    end
  end

  private

  # What the clients of two generations got that was wrong. Yields the server at the end.
  def failures_of(config)
    Coppice::EchoServer.open do |echo|
      Server.open(app: APP, config: config, env: { "ECHO_PORT" => echo.port.to_s }) do |server|
        traffic = Coppice::Traffic.new(server)
        traffic.run { refork(server, traffic) }
        yield server
        traffic.failures
      end
    end
  end

  def refork(server, traffic)
    served = -> { traffic.failed? || server.ready_workers.all? { |row| row.requests > 3 } }
    server.wait(&served)
    server.signal(:USR2)
    server.wait(60) { traffic.failed? || (server.settled?(1) && served.call) }
  end
end
