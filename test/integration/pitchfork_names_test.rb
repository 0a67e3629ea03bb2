# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"
require_relative "../support/without_bundler"

# An application that was written for Pitchfork, with a configuration that does not name it.
class PitchforkNamesTest < Coppice::TestCase
  APP = <<~'RUBY'
    AT_BOOT = defined?(Pitchfork::Info).inspect
    map("/unsafe") { run ->(_env) { [200, {}, [defined?(Pitchfork::Info) && Pitchfork::Info.no_longer_fork_safe!.inspect]] } }
    map("/counts") { run ->(_env) { [200, {}, [[Pitchfork::Info.workers_count, Coppice::Info.workers_count].join(" ")]] } }
    map("/names") { run ->(_env) { [200, {}, [Pitchfork.listener_names.join(" ")]] } }
    map("/safe") { run ->(_env) { [200, {}, [[Pitchfork::Info.fork_safe?, Pitchfork::Info.shutting_down?].join(" ")]] } }
    run ->(_env) { [200, {}, [AT_BOOT]] }
  RUBY

  test "what it tells Pitchfork is heard" do
    serve do |server|
      assert_equal '"constant"', server.get.body
      assert_equal "true false", server.get("/safe").body
      server.get("/unsafe")

      assert_equal 1, server.rows(:worker).first.not_fork_safe
      assert_equal "false false", server.get("/safe").body
    end
  end

  test "the workers are those of the start, and the addresses have their names" do
    serve("worker_processes 2") do |server|
      server.signal(:TTOU)
      server.wait { server.board.workers_count == 1 && server.settled?(0) }

      assert_equal "2 1", server.get("/counts").body
      assert_equal server.socket_path, server.get("/names").body
    end
  end

  soak_test "in one process as well" do
    serve("worker_processes 0") do |server|
      answers = ["/", "/counts", "/names"].map { |path| server.get(path).body }

      assert_equal ['"constant"', "1 1", server.socket_path], answers
    end
  end

  soak_test "where the bundle has the gem, the name is the gem's" do
    skip "the gem pitchfork is not in the bundle" unless Gem.loaded_specs.key?("pitchfork")
    Server.open(app: APP) { |server| assert_equal "nil", server.get.body }
  end

  private

  # With a bundle that has nothing but Rack.
  def serve(config = "worker_processes 1", &block)
    with_tmpdir do |folder|
      File.write("#{folder}/Gemfile", "gem 'rack', '#{Gem.loaded_specs.fetch('rack').version}'\n")
      environment = { **WITHOUT_BUNDLER, "BUNDLE_GEMFILE" => "#{folder}/Gemfile", "BUNDLE_FROZEN" => "false" }
      Server.open(app: APP, config: config, env: environment, &block)
    end
  end
end
