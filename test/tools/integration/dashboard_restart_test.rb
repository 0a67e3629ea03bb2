# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require_relative "../../support/dashboard_page"
require_relative "../../support/loopback_ports"

# The page of the dashboard in a browser while its server is stopped and started again.
class DashboardRestartTest < Coppice::TestCase
  include DashboardPage

  SLOTS = "[...document.querySelectorAll('button.cell.worker b')].map((name) => Number(name.textContent))"
  CHOSEN = "document.querySelector('.detail h3').firstChild.textContent"
  RECYCLE = "[1, 2].forEach(() => document.querySelector('.detail button[data-key=\"Recycle\"]').click())"

  # Notes from which sequence number on the page asks for its history.
  class PlayedLater < Coppice::DashboardFixture
    attr_reader :asked

    def history(since = 0)
      (@asked ||= []) << since
      super
    end
  end

  test "it goes on by itself when the server is back" do
    port, = LoopbackPorts.free(1)
    open_page(port: port) do |browser|
      @server.stop
      reached(browser, "document.body.classList.contains('lost')")
      said = browser.evaluate("document.querySelector('.connection').textContent")
      assert_match(/\Ano connection since \d\d:\d\d:\d\d/, said)

      @fixture = Coppice::DashboardFixture.new(steps: 10)
      @fixture.pid = 5222
      @server = serve(port)
      reached(browser, "!document.body.classList.contains('lost')")
      reached(browser, "document.querySelector('[data-path=\"server.pid\"]').textContent === '5222'")
    end
  end

  test "another server with the same pid, as in a container, is asked for all of its past" do
    port, = LoopbackPorts.free(1)
    open_page(port: port) do |browser|
      @server.stop
      reached(browser, "document.body.classList.contains('lost')")

      @fixture = PlayedLater.new(time: 1_790_100_000.0)
      @server = serve(port)
      reached(browser, "!document.body.classList.contains('lost')")
      assert_equal 0, @fixture.asked.first
    end
  end

  test "a process of another server with the same pid, as in a container, has a cell and actions of its own" do
    calls = []
    port, = LoopbackPorts.free(1)
    open_page(port: port, actions: ->(*words) { calls << words; ["ok"] }) do |browser|
      browser.execute("document.querySelectorAll('button.cell.worker')[2].focus()")
      @server.stop
      reached(browser, "document.body.classList.contains('lost')")

      drawn = browser.evaluate("document.body.dataset.frame")
      @stats = -> { renumbered(@fixture.stats) }
      @server = serve(port)
      reached(browser, "document.body.dataset.frame !== '#{drawn}'")
      assert_equal (0...@fixture.workers).to_a, browser.evaluate(SLOTS)
      browser.execute(RECYCLE)
      reached(browser, "document.querySelector('.detail output').textContent === 'ok'")
      assert_equal ["worker 2", [%w[recycle 2]]], [browser.evaluate(CHOSEN), calls]
    end
  end

  private

  # The same pids, each in another slot.
  def renumbered(stats)
    workers = stats[:processes].select { |process| process[:role] == "worker" }
    slots = workers.map { |worker| worker[:slot] }.rotate
    workers.zip(slots) { |worker, slot| worker[:slot] = slot }
    stats
  end
end
