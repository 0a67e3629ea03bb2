# frozen_string_literal: true

# lane: soak -- boots an application for each test

require "test_helper"
require "net/http"
require_relative "../support/c_library"
require_relative "../support/handler_server"
require_relative "../support/loopback_ports"
require_relative "../support/releases"

# `rackup -s coppice`, with the rackup of each Rack.
class RackupTest < Coppice::TestCase
  include Releases

  LIBRARY = File.expand_path("../../lib", __dir__)

  APP = <<~'RUBY'
    # Where this process has loaded the application, and how often it did.
    File.write("boots", "#{Process.pid}\n", mode: "a")
    run(lambda do |env|
      text = [Process.pid, env["rack.multithread"], env["coppice.timeout"].deadline == Float::INFINITY].join(" ")
      [200, { "content-type" => "text/plain", "content-length" => text.size.to_s }, [text]]
    end)
  RUBY

  test "in development the process of rackup serves, where the configuration says" do
    rackup("-E", "development") do |server|
      assert_equal "#{server.pid} true true", server.get.body
      assert_equal [server.pid], server.family
      assert_equal 0, server.stop.exitstatus
    end
  end

  test "Ctrl-C ends it, and its pidfile is removed" do
    rackup("-E", "development", "-P", "rackup.pid") do |server|
      assert_equal server.pid, File.read(server.path("rackup.pid")).to_i
      server.signal(:INT)

      assert_equal 0, server.wait_for_end.exitstatus
      refute_path_exists server.path("rackup.pid")
    end
  end

  test "the process of rackup has the files of the configuration, and logs what it does not do" do
    config = <<~RUBY
      pidfile File.join(__dir__, "own.pid")
      stdout_path File.join(__dir__, "stdout")
      admin_listen File.join(__dir__, "admin")
      service(:jobs) { sleep }
    RUBY
    rackup("-E", "development", config: config) do |server|
      assert_equal server.pid, File.read(server.path("config/own.pid")).to_i
      assert_path_exists server.path("config/stdout")
      server.stop

      refute_path_exists server.path("config/own.pid")
      assert_match(/level=warn .*services are not run without worker processes.* services=jobs/, server.log)
      assert_match(/level=warn .*admin_listen and on_stats have no effect/, server.log)
    end
  end

  test "in production the process becomes a monitor, with the same pid" do
    rackup("-E", "production", "-P", "rackup.pid", "-O", "worker_processes=2") do |server|
      assert_predicate server, :monitor?
      assert_equal 2, server.ready_workers.size
      refute_includes [server.pid], server.get.body.to_i
      assert_equal server.pid, File.read(server.path("rackup.pid")).to_i
      assert_equal 0, server.stop.exitstatus
      refute_path_exists server.path("rackup.pid")
    end
  end

  test "a profiler's interval timer, which the application has started, does not end the monitor" do
    timer = <<~RUBY
      require "#{CLibrary::PATH}"
      every = [0, 50_000, 0, 50_000].pack("l!4") # 50 ms
      trap(:ALRM) { nil }
      CLibrary.call("setitimer", 0, every, nil)
    RUBY
    rackup("-E", "production", app: timer + APP) { |server| assert_predicate server, :monitor? }
  end

  test "a roll loads the rackup file of the next release, though rackup has named its own by an absolute path" do
    rackup("-E", "production") do |server|
      write_release(server.path("next"), "run ->(_env) { [200, {}, ['next']] }", "canary false")
      output, status = coppice(server, "roll", server.path("next"))

      assert_predicate status, :success?, output
      server.wait { served_by?(server, 2) }

      assert_equal "next", server.get.body
    end
  end

  test "options that are typed as docs/rails.md has it are more than the configuration" do
    port = LoopbackPorts.free(1).first
    page = File.read(File.expand_path("../../docs/rails.md", __dir__))
    flags = page[/^    rackup -s coppice (-E production .*)$/, 1].sub("-p 3000", "-p #{port}").split
    rackup("-o", "127.0.0.1", *flags, ready: false) do |server|
      body = server.wait(120, "an answer") { answer_at(port) }
      server.wait(120, "four workers") { server.ready_workers.size == 4 }

      assert_match(/\A\d+ false false\z/, body)
      refute_path_exists server.socket_path
    end
  end

  test "worker_processes 0 serves the application that rackup has loaded, in production too" do
    rackup("-E", "production", config: "worker_processes 0") do |server|
      assert_equal "#{server.pid} true true", server.get.body
      assert_equal [server.pid], File.readlines(server.path("boots")).map(&:to_i)
    end
  end

  test "a mistake ends it with one line" do
    rackup("-E", "development", config: "tiemout 5", ready: false) do |server|
      assert_equal 1, server.wait_for_end.exitstatus
      assert_match(/^coppice: .*unknown option or hook tiemout/, server.log)
      refute_includes server.log, "lib/coppice"
    end
  end

  private

  def rackup(*flags, **options, &block)
    gem = Gem.loaded_specs.each_value.find { |spec| spec.executables.include?("rackup") }
    program = [RbConfig.ruby, gem.bin_file("rackup"), "-I", LIBRARY, "-s", "coppice", *flags]
    HandlerServer.open(app: APP, program: program, **options, &block)
  end

  # nil while nobody listens.
  def answer_at(port)
    Net::HTTP.get("127.0.0.1", "/", port)
  rescue Errno::ECONNREFUSED
    nil
  end
end
