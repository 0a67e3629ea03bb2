# frozen_string_literal: true

# lane: soak -- memory counts from an age of one minute on

require "test_helper"
require_relative "../support/server"

# A service of a real server, and what it has forked, over its limits.
class ServiceLimitsTest < Coppice::TestCase
  APP = 'run ->(_env) { [200, {}, ["ok"]] }'

  # A supervisor of two processes, of which the first one to come is large. Each notes that it has begun, and its end at
  # TERM. USR1 makes the service large as well.
  CONFIG = <<~'RUBY'
    worker_processes 1
    service :jobs, survives_reforks: true, memory_limit: { private: "100M" } do
      start = lambda do |large|
        fork do
          kept = "x" * (200 << 20) if large
          trap(:TERM) { File.write("ended.#{Process.pid}", "") && exit!(0) }
          File.write("began.#{large ? "large" : "small"}.#{Process.pid}", "")
          sleep
        end
      end
      start.call(true)
      start.call(false)
      trap(:CHLD) { start.call(false) while Process.wait(-1, Process::WNOHANG) }
      kept = nil
      trap(:USR1) { kept = "x" * (200 << 20) }
      sleep
    end
  RUBY

  def pids(server, pattern) = Dir[server.path(pattern)].map { |path| path[/\d+\z/].to_i }

  test "a process that has grown is replaced by its supervisor, and the service by a fork of the mold" do
    Server.open(app: APP, config: CONFIG) do |server|
      large = server.wait(60, "the large process") { pids(server, "began.large.*").first }
      server.wait(200, "the large process has ended") { pids(server, "ended.*").include?(large) }
      server.wait(60, "its successor") { pids(server, "began.small.*").size == 2 }

      assert_equal [large], pids(server, "ended.*")
      service = server.rows(:service).first.pid
      server.signal(:USR1, to: service)
      server.wait(200, "another service") { server.rows(:service).any? { |row| row.ready? && row.pid != service } }

      assert_match(/msg="recycling a process of the service".* child_pid=#{large} why=memory kind=private/, server.log)
      assert_match(/msg="recycling a service" child=service name=jobs .*child_pid=#{service} why=memory/, server.log)
    end
  end
end
