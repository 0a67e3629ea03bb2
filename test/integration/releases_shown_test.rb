# frozen_string_literal: true

# lane: soak -- each test boots several releases

require "test_helper"
require "json"
require "open3"
require_relative "../support/admin_client"
require_relative "../support/closed_loop"
require_relative "../support/releases"

# What people see of a roll: coppice status, coppice top, /stats.json, /metrics and the dashboard's actions.
class ReleasesShownTest < Coppice::TestCase
  include Releases

  MANY = 100_000_000 # requests: a canary that is not decided
  ACTION = { "X-Coppice-Action" => "1" }.freeze

  def serve(canary: false, **options)
    Dir.mktmpdir("coppice-admin-") do |folder|
      socket = File.join(folder, "admin")
      config = "worker_processes 2\ncanary #{canary}\ncanary_requests #{MANY}\ncanary_time 600\n" \
               "admin_listen #{socket.dump}\nadmin_actions true"
      with_releases(:one, :two, config: config, **options) do |server, directories|
        yield server, directories, AdminClient.new(socket)
      end
    end
  end

  # The workers are replaced after the commit.
  def settled_roll?(server, admin, number)
    releases = admin.json("/stats.json")[:releases]
    releases[:roll].nil? && releases.dig(:running, :number) == number && served_by?(server, number)
  end

  def outcomes(admin)
    admin.json("/stats.json")[:releases][:history].map { |entry| entry.values_at(:kind, :outcome, :number, :revision) }
  end

  test "a roll and a rollback, wherever one looks" do
    serve do |server, directories, admin|
      coppice(server, "roll", directories[:two])
      server.wait { settled_roll?(server, admin, 2) }

      assert_equal [["roll", "committed", 2, "two"], ["start", "committed", 1, "one"]], outcomes(admin)
      assert_equal [2], workers(admin).map { |worker| worker[:release] }.uniq
      assert_in_delta 600, admin.json("/stats.json").dig(:releases, :rollback, :time_left), 120
      metrics = admin.get("/metrics").body
      assert_includes metrics, %(coppice_release_info{number="2",revision="two"} 1\n)
      assert_includes metrics, %(coppice_rolls_total{kind="roll",outcome="committed"} 1\n)
      assert_includes metrics, "coppice_roll_in_progress 0\n"
      assert_equal [2, 0], admin.json("/puma/stats").values_at(:workers, :old_workers)

      page, = coppice(server, "status")
      assert_match(/^release  +2 \(two\) in #{Regexp.escape(directories[:two])}, for /, page)
      assert_match(/^rollback  +to release 1 without a boot for another /, page)
      assert_match(/^2 +two +roll +uid \d+ \(pid \d+\) +.* committed after /, page)
      assert_match(/^mold \(gen 0, release 1\) /, page) # kept for a rollback
      assert_match(/^release +2 two +for .* rollback without a boot for /, coppice(server, "top", "--once").first)

      coppice(server, "rollback")
      server.wait { settled_roll?(server, admin, 1) }
      assert_equal ["rollback", "committed", 1, "one"], outcomes(admin).first
      assert_nil admin.json("/stats.json")[:releases][:rollback]
    end
  end

  test "the dashboard's buttons are answered at once, and the history says how the roll ended" do
    serve do |server, directories, admin|
      File.write(File.join(directories[:one], "config.ru"), 'raise "not today"')
      answer = admin.request("POST", "/actions/roll", ACTION)

      assert_equal [200, "rolling to #{directories[:one]}\n"], [answer.status, answer.body]
      server.wait { outcomes(admin).size == 2 && outcomes(admin).first[1] }
      entry = admin.json("/stats.json")[:releases][:history].first
      assert_equal ["given_up", "dashboard", directories[:one]], entry.values_at(:outcome, :asked_by, :directory)
      refute_nil entry[:reason]
      refused = admin.request("POST", "/actions/rollback", ACTION)
      assert_equal [409, "there is no release before release 1\n"], [refused.status, refused.body]
    end
  end

  test "a canary counts while one looks, and the button for a rollback gives it up" do
    serve(canary: true) do |server, _directories, admin|
      clients = ClosedLoop.new(server, clients: 4, paths: ["/"]).tap(&:start)
      admin.request("POST", "/actions/roll", ACTION)
      roll = nil
      server.wait(60) do
        roll = admin.json("/stats.json").dig(:releases, :roll)
        roll&.dig(:phase) == "canary" && roll.dig(:canary, :requests).positive?
      end
      clients.stop
      page, = coppice(server, "status")

      assert_equal [MANY, 2], [roll.dig(:canary, :wanted), roll[:number]]
      assert_match(/^roll +roll to release 2 .*: canary, \d+ of #{MANY} requests, 0 failed; asked for by dashboard/,
        page)
      assert_match(/^worker\[\d\] \(gen 1, release 2\) /, page)
      assert_includes admin.get("/metrics").body, "coppice_roll_in_progress 1\n"
      assert_match(/\Athe roll to .* is given up/, admin.request("POST", "/actions/rollback", ACTION).body)
      assert_equal ["roll", "given_up", 2], outcomes(admin).first.first(3)
    end
  end

  def workers(admin) = admin.json("/stats.json")[:processes].select { |process| process[:role] == "worker" }
end
