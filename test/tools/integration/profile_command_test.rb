# frozen_string_literal: true

# lane: soak -- many servers, measured in real time

require "test_helper"
require "open3"
require "rbconfig"
require "coppice/gc_profile"
require_relative "../../support/server"

# `coppice profile`, asked about a real server.
class ProfileCommandTest < Coppice::TestCase
  APP = "run(->(_env) { [200, {}, [Array.new(100) { Object.new.to_s }.last]] })"
  REQUESTS = Coppice::GCProfile::MEASURED_REQUESTS

  test "what the first worker has measured becomes a file that a server reads" do
    serve do |server|
      measured(server)
      output, status = profile(server, server.pid)
      file = server.path(Coppice::GCProfile::FILE)

      assert_predicate status, :success?, output
      assert_equal "written: config/coppice.gc\n", output
      assert_includes Coppice::GCProfile::ProfileFile.read(file), "RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO"
      assert_match(/\A# .*for Ruby #{Regexp.escape(RUBY_VERSION)}\.\n# Measured: requests=64 .*\n# Requests between/,
        File.read(file))
    end
  end

  test "it goes to another file, or is only shown" do
    serve do |server|
      measured(server)
      profile(server, server.pid, "--output", "other.gc")
      shown, = profile(server, server.pid, "--print")

      assert_equal File.read(server.path("other.gc")), shown
      refute_path_exists server.path(Coppice::GCProfile::FILE)
    end
  end

  test "before there is a measurement, it says how many requests to wait for" do
    serve do |server|
      server.get
      server.wait { server.rows(:worker).first.requests == 1 }
      output, status = profile(server, server.pid)

      assert_equal 1, status.exitstatus
      assert_match(/\Acoppice: nothing is measured yet: worker 0 has served 1 of the #{REQUESTS} .*wait/, output)
    end
  end

  test "where nothing will ever be measured, it says what to change" do
    serve(config: "gc_profile :ruby") do |server|
      REQUESTS.times { server.get }
      server.wait { server.rows(:worker).first.requests == REQUESTS }
      output, status = profile(server, server.pid)

      assert_equal 1, status.exitstatus
      assert_match(/served #{REQUESTS} requests and measured none, so gc_profile is not :fitted: remove it/, output)
    end
  end

  test "a file that cannot be written is an error" do
    serve do |server|
      measured(server)
      output, status = profile(server, server.pid, "--output", "config.ru/x")

      assert_equal 1, status.exitstatus
      assert_match(%r{\Acoppice: config\.ru/x cannot be written: }, output)
    end
  end

  private

  def serve(**options, &block) = Server.open(app: APP, **options, &block)

  # Has the only worker serve as many requests as it takes.
  def measured(server)
    REQUESTS.times { server.get }
    server.wait { !server.rows(:worker).first.allocations.empty? }
  end

  def profile(server, *words)
    Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, Server::EXECUTABLE, "profile",
      *words.map(&:to_s), chdir: server.folder)
  end
end
