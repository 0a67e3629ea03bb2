# frozen_string_literal: true

# lane: soak -- canaries that wait for real requests and real time

require "test_helper"
require "coppice/monitor/molds/trial_watch"
require_relative "../support/closed_loop"
require_relative "../support/gate"
require_relative "../support/releases"

# The first worker of a new mold serves clients, and is judged by what it does for them.
class CanaryServerTest < Coppice::TestCase
  include Releases

  CONFIG = "worker_processes 2\ncanary_requests 30\ncanary_time 60"
  FAILING = 'run ->(_env) { [500, {}, ["NAME"]] }'

  test "a release that fails is given up, with the numbers, and its worker serves nobody any more" do
    with_releases(:one, :two, apps: { two: FAILING }, config: CONFIG) do |server, directories|
      output, status = under_load(server, clients: 8) { coppice(server, "roll", directories[:two]) }

      assert_equal 1, status.exitstatus, output
      message = /given up: canary: (\d+) of \d+ requests failed, and (\d+) may\. release 1 \(one\) serves on/
      failed, may = output.match(message)&.captures&.map(&:to_i)
      assert_equal may + 1, failed, "more clients got an error than the decision needed"
      server.wait { server.rows(:worker).all? { |row| row.release_number == 1 } }
      record = server.board.release_record(2)

      assert_operator record.canary_failed, :>, 1
      assert_equal "one", release_of(server)
    end
  end

  test "a release that is as good as the one before is committed after so many requests" do
    with_releases(:one, :two, config: CONFIG) do |server, directories|
      output, status = under_load(server) { coppice(server, "roll", directories[:two]) }

      assert_predicate status, :success?, output
      assert_match(/^canary: 0 of \d+ requests failed/, output)
      assert_operator server.board.release_record(2).canary_requests, :>=, 30
    end
  end

  # The kernel, and the lobby, would rather wake the same worker again.
  test "a single client meets the trial, at a listener and at the lobby" do
    [false, true].each do |lobby|
      with_releases(:one, :two, apps: { two: FAILING }, config: "worker_processes 4\ncanary_requests 30",
                    lobby: lobby) do |server, directories|
        output, status = under_load(server, clients: 1) { coppice(server, "roll", directories[:two]) }

        assert_equal 1, status.exitstatus, output
        assert_match(/given up: canary: \d+ of \d+ requests failed/, output)
      end
    end
  end

  test "without enough requests in the time a release is committed unless it has failed" do
    with_releases(:one, :two, config: "worker_processes 2\ncanary_time 0.5") do |server, directories|
      output, status = coppice(server, "roll", directories[:two])

      assert_predicate status, :success?, output
      assert_match(/^canary: only 0 of 200 requests in 0.5 s/, output)
    end
  end

  test "a release whose first worker dies is given up" do
    app = 'run ->(env) { env["PATH_INFO"] == "/die" ? exit!(3) : [200, {}, ["NAME"]] }'
    with_releases(:one, :two, apps: { two: app }, config: CONFIG) do |server, directories|
      output, status = under_load(server, paths: ["/die"]) { coppice(server, "roll", directories[:two]) }

      assert_equal 1, status.exitstatus, output
      assert_match(/its first worker exited while it was on trial/, output)
      assert_equal 1, server.board.release_number
    end
  end

  test "with fork_audit :refuse a release whose workers share a connection is given up" do
    app = <<~RUBY
      require "socket"
      $peer = TCPServer.new("127.0.0.1", 0)
      $connection = TCPSocket.new("127.0.0.1", $peer.local_address.ip_port)
      #{APP}
    RUBY
    with_releases(:one, :two, apps: { two: app }, config: "#{CONFIG}\nfork_audit :refuse") do |server, directories|
      output, status = under_load(server) { coppice(server, "roll", directories[:two]) }

      assert_equal 1, status.exitstatus, output
      assert_match(/given up: fork audit: 1 found, as the log says\. release 1 \(one\) serves on/, output)
      assert_equal [1, 1], [server.board.refused_commits, server.board.release_number]
    end
  end

  test "a refork whose workers fail is abandoned" do
    app = "run ->(_env) { [$spoilt ? 500 : 200, {}, [\"\"]] }"
    config = <<~RUBY
      worker_processes 2
      refork_backoff 60
      accept_order :fair
      after_mold_fork { |_server, mold| $spoilt = mold.generation > 0 }
      after_worker_fork { |_server, worker| #{Gate.code("trial")} if worker.generation > 0 }
    RUBY
    with_releases(:one, app: app, config: config) do |server, directories|
      gate = Gate.new(File.join(directories[:one], "trial"))
      output, status = under_load(server) { refork_stopped_until_its_trial_has_served(server, gate) }

      assert_equal [1, true], [status.exitstatus, output.include?("canary: ")], output
      server.wait { server.ready_workers.size == 2 && server.ready_workers.all? { |row| row.generation.zero? } }
    end
  end

  private

  # A refork's trial has a second only. So the monitor is stopped, and watches a trial that has served enough already.
  def refork_stopped_until_its_trial_has_served(server, gate)
    trial = -> { server.rows(:worker).find { |row| row.generation == 1 } }
    refork = nil
    gate.closed do
      refork = Thread.new { coppice(server, "refork") }
      server.wait(&trial)
      server.signal(:STOP)
    end
    server.wait { trial.call.requests > Coppice::Monitor::TrialWatch::REFORK_REQUESTS }
    server.signal(:CONT)
    BoundedWait.value_of(refork)
  ensure
    server.signal(:CONT)
  end

  # What the block answers while clients ask, whatever they get.
  def under_load(server, clients: 2, paths: ["/"])
    ClosedLoop.new(server, clients: clients, paths: paths).during { yield }
  end
end
