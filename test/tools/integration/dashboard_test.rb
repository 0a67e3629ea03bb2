# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require "json"
require_relative "../../support/dashboard_browser"
require_relative "../../support/server_over_tcp"

# The dashboard that an application has mounted, of the server that it runs in.
class DashboardTest < Coppice::TestCase
  APP = <<~RUBY
    map("/coppice") { run Coppice::Dashboard.new }
    map("/") { run ->(_env) { [200, { "content-type" => "text/plain" }, ["ok"]] } }
  RUBY

  test "it shows the server in which it runs" do
    serve do |server|
      server.get("/")
      # A worker counts a request a moment after it has answered.
      stats = eventually { json(server, "stats.json").then { |all| all if all.dig("totals", "requests").positive? } }

      assert_equal server.pid, stats.dig("server", "pid")
      workers = stats.fetch("processes").select { |process| process.fetch("role") == "worker" }
      assert_equal [[0, 0], [1, 0]], workers.map { |process| process.values_at("slot", "generation") }.sort
    end
  end

  test "its history has the records after the one that is asked for" do
    serve do |server|
      first = eventually { json(server, "history.json").then { |history| history if history["records"].size > 1 } }
      rest = json(server, "history.json?since=#{first.fetch("seq") - 1}")

      assert_equal first.fetch("names"), rest.fetch("names")
      assert_equal first.fetch("records").last, rest.fetch("records").first
    end
  end

  test "it draws the pages of a worker" do
    serve do |server|
      assert_match(/\A<svg .*worker\[1\]/m, server.get("/coppice/page-map.svg?slot=1").body)
      assert_equal 404, server.get("/coppice/page-map.svg?slot=7").status
    end
  end

  test "a browser sees a refork" do
    reason = Coppice::DashboardBrowser.missing
    skip reason if reason
    serve do |server|
      Coppice::DashboardBrowser.open("http://127.0.0.1:#{server.port}/coppice") do |browser|
        server.signal(:USR2)
        Coppice::DashboardBrowser.wait_for(browser, "document.querySelectorAll('.gen.current[data-generation=\"1\"] " \
                                                    ".cells .worker').length === 2")

        assert_empty browser.complaints
      end
    end
  end

  private

  def serve(&block) = ServerOverTcp.open(app: APP, config: "worker_processes 2", &block)

  def json(server, path) = JSON.parse(server.get("/coppice/#{path}").body)
end
