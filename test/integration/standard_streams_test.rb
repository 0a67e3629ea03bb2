# frozen_string_literal: true

require "test_helper"
require "coppice/control/client"
require_relative "../support/server"

# Servers whose standard streams are closed, full or without a reader.
class ServerStandardStreamsTest < Coppice::TestCase
  APP = "run ->(_env) { [200, {}, ['fine']] }"

  test "an application that closes its streams is served, reforked, and survives a rotation of logs" do
    Server.open(app: "STDOUT.close\nSTDERR.close\n#{APP}", config: "worker_processes 2\nrefork_backoff 0\n") do |server|
      assert_equal "fine", server.get.body
      before = server.ready_workers.map(&:pid)
      Coppice::Control::Client.new(pid: server.pid).call("reopen-logs")
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_equal "fine", server.get.body
      assert_empty server.ready_workers.map(&:pid) & before
    end
  end

  soak_test "a hook that prints to a full disk keeps the monitor from nothing" do
    config = <<~RUBY
      STDOUT.reopen("/dev/full", "w")
      worker_processes 1
      refork_backoff 0
      after_worker_exit { |*| puts "worker gone" }
    RUBY
    Server.open(app: APP, config: config) do |server|
      2.times { kill_mold_and_worker(server) }

      assert_equal "fine", server.get.body
    end
  end

  soak_test "a full pipe that nobody reads as standard error keeps nothing from boots, requests and reforks" do
    config = <<~RUBY
      $nobody_reads, full = IO.pipe
      nil until full.write_nonblock("x" * 4096, exception: false) == :wait_writable
      STDERR.reopen(full)
      worker_processes 1
      refork_backoff 0
    RUBY
    Server.open(app: "run ->(_env) { raise 'no' }", config: config) do |server|
      assert_equal 500, server.get.status
      server.signal(:USR2)
      server.wait { server.settled?(1) }

      assert_equal 500, server.get.status
    end
  end

  test "an error of the start is told to the stream that the server was started with, where the log's disk is full" do
    [1, 0].each do |workers|
      config = "worker_processes #{workers}\nstderr_path '/dev/full'\npidfile '/proc/none/server.pid'\n"
      Server.open(app: APP, config: config, ready: false) do |server|
        assert_equal 1, server.wait_for_end.exitstatus
        assert_match(%r{^coppice: pidfile /proc/none/server.pid cannot be written}, server.log)
      end
    end
  end

  test "one process tells that stream as well why it cannot load the application, or begin to serve" do
    { ["raise 'no database'", ""] => /^coppice: could not load .*no database/,
      [APP, "after_worker_ready { |*| raise 'no cache' }"] => /^coppice: .*no cache/ }.each do |(app, hook), expected|
      config = "worker_processes 0\nstderr_path '/dev/full'\n#{hook}"
      Server.open(app: app, config: config, ready: false) do |server|
        assert_equal 1, server.wait_for_end.exitstatus
        assert_match expected, server.log
      end
    end
  end

  test "an error is told once where the streams lead nowhere else, and a running server has given the first one back" do
    Server.open(app: APP, config: "pidfile '/proc/none/server.pid'", ready: false) do |server|
      server.wait_for_end

      assert_equal 1, server.log.scan("coppice: pidfile").size
    end
    [1, 0].each do |workers|
      config = "worker_processes #{workers}\nstdout_path '/dev/null'\nstderr_path '/dev/null'\n"
      Server.open(app: APP, config: config) { |server| refute_includes open_files(server.pid), server.path("log") }
    end
  end

  private

  def open_files(pid)
    Dir.glob("/proc/#{pid}/fd/*").filter_map do |one|
      File.readlink(one)
    rescue Errno::ENOENT # closed meanwhile
      nil
    end
  end

  def kill_mold_and_worker(server)
    pids = [server.ready_workers.first.pid, *server.rows(:mold).map(&:pid)]
    pids.each { |pid| server.signal(:KILL, to: pid) }
    server.wait { pids.all? { |pid| server.gone?(pid) } && server.all_ready? }
  end
end
