# frozen_string_literal: true

require "test_helper"
require_relative "../support/server"

# Coppice.at_fork: what gems register beside the hooks of the configuration.
class AtForkTest < Coppice::TestCase
  # A gem with a thread that it stops before a fork; another that registers itself twice; and one whose blocks fail.
  # Everything that runs appends a line to the file "notes": its name and the pid.
  APP = <<~'RUBY'
    def note(name) = File.write("notes", "#{name} #{Process.pid}\n", mode: "a")

    module Ticker
      def self.start = @thread = Thread.new { sleep }
      def self.stop = @thread.kill.join
      def self.running? = @thread.alive?
    end

    Ticker.start
    Coppice.at_fork(before: -> { note("before"); Ticker.stop }, after_in_parent: -> { note("parent"); Ticker.start },
                    after_in_mold: -> { note("mold"); Ticker.start },
                    after_in_worker: -> { note("worker"); Ticker.start })
    Coppice.at_fork(after_in_worker: -> { note("worker_again") })
    failing = -> { raise "no such host" }
    Coppice.at_fork(before: failing, after_in_parent: failing, after_in_mold: failing, after_in_worker: failing)
    run ->(_env) { [200, { "content-type" => "text/plain" }, ["#{Process.pid} #{Ticker.running?}"]] }
  RUBY
  CONFIG = <<~'RUBY'
    worker_processes 1
    note = ->(name) { File.write("notes", "#{name} #{Process.pid}\n", mode: "a") }
    before_fork { note.call("file_before") }
    after_fork_in_parent { note.call("file_parent") }
    after_mold_fork { note.call("file_mold") }
    after_worker_fork { note.call("file_worker") }
  RUBY
  WORKER = %w[worker worker_again file_worker].freeze
  FORK = %w[before file_before parent file_parent].freeze

  # What one process noted, in its order.
  def notes(server, pid)
    File.readlines(server.path("notes"), chomp: true).map(&:split).filter_map { |name, by| name if by == pid.to_s }
  end

  test "blocks run in their process, the file's hook after them, and a failing one ends nothing" do
    Server.open(app: APP, config: CONFIG) do |server|
      mold = server.rows(:mold).first.pid
      worker = server.ready_workers.first.pid
      server.wait { notes(server, mold).include?("file_parent") }

      assert_equal %w[mold file_mold] + FORK, notes(server, mold)
      assert_equal WORKER, notes(server, worker)
      assert_equal "#{worker} true", server.get.body
    end
  end

  test "a worker that was promoted goes on with what was stopped before the fork" do
    Server.open(app: APP, config: "#{CONFIG}\nrefork_surge 0") do |server|
      worker = server.ready_workers.first.pid
      server.signal(:USR2)
      server.wait { server.settled?(1) }
      mold = server.rows(:mold).first.pid
      server.wait { notes(server, mold).include?("file_parent") }

      assert_equal WORKER + FORK, notes(server, worker)
      assert_equal %w[mold file_mold] + FORK, notes(server, mold)
      assert_equal "#{server.ready_workers.first.pid} true", server.get.body
    end
  end

  test "what was stopped before a fork that failed starts again" do
    app = <<~'RUBY'
      module FailingFork
        def _fork = ENV["FORK_FAILS"] ? raise(Errno::EAGAIN) : super
      end
      Process.singleton_class.prepend(FailingFork)
      Coppice.at_fork(before: -> { File.write("before", "") }, after_in_parent: -> { File.write("restarted", "") })
      run(lambda do |env|
        ENV["FORK_FAILS"] = "1"
        [200, {}, []]
      end)
    RUBY
    Server.open(app: app, config: "worker_processes 1") do |server|
      server.get
      server.wait { File.exist?(server.path("restarted")) } # by the mold, which has forked the worker
      %w[before restarted].each { |name| File.delete(server.path(name)) }
      server.signal(:USR2)

      assert server.wait { File.exist?(server.path("restarted")) }
      assert_path_exists server.path("before")
      assert_equal 200, server.get.status
    end
  end

  test "the service worker calls the blocks of workers" do
    config = "worker_processes 1\nbefore_service_worker_ready { File.write('service', Process.pid.to_s) }"
    Server.open(app: APP, config: config) do |server|
      server.wait { server.rows(:service).any?(&:ready?) }
      service = server.rows(:service).first.pid

      assert_equal %w[worker worker_again], notes(server, service)
    end
  end
end
