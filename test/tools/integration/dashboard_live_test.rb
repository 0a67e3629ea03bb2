# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require "json"
require_relative "../../support/closed_loop"
require_relative "../../support/dashboard_page"
require_relative "../../support/loopback_ports"
require_relative "../../support/server"

# The dashboard of a real server, in a browser, while clients request all the time.
class DashboardLiveTest < Coppice::TestCase
  include DashboardPage

  APP = 'run ->(_env) { [200, {}, ["hello"]] }'
  GENERATIONS = "[...document.querySelectorAll('.gen[data-generation]')].map((row) => row.dataset.generation)"
  PIDS = "[...document.querySelectorAll('button.cell.worker')].map((cell) => Number(cell.dataset.pid))" \
         ".sort((a, b) => a - b)"

  test "a refork under load redraws the tree, and a restart of the server is survived" do
    with_server do |server, clients, browser|
      browser.execute("window.sameDocument = true")
      clients.during do
        before = server.ready_workers.map(&:pid)
        server.signal(:USR2)
        assert_shown_family browser, server, 1

        assert_empty before & server.ready_workers.map(&:pid)
      end
      assert_empty clients.failures
      server.stop
      reached(browser, "document.body.classList.contains('lost')")
      server.start_again
      assert_shown_family browser, server, 0
      assert browser.evaluate("window.sameDocument")
    end
  end

  private

  def with_server
    admin, = LoopbackPorts.free(1)
    Server.open(app: APP, config: "worker_processes 3\nadmin_listen #{admin}") do |server|
      server.wait { server.rows(:observer).any?(&:ready?) }
      clients = ClosedLoop.new(server, clients: 2, paths: ["/"])
      Coppice::DashboardBrowser.open("http://127.0.0.1:#{admin}") do |browser|
        yield server, clients, browser
        assert_empty browser.complaints
      end
    end
  end

  # One row, of this generation, whose cells are the workers that serve.
  def assert_shown_family(browser, server, generation)
    reached(browser, "JSON.stringify(#{GENERATIONS}) === '[\"#{generation}\"]'")
    pids = server.ready_workers.map(&:pid)
    reached(browser, "JSON.stringify(#{PIDS}) === #{JSON.generate(JSON.generate(pids.sort))}")
  end
end
