# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require_relative "../../support/dashboard_page"

# The guests of a server on the dashboard, in a browser.
class DashboardGuestsTest < Coppice::TestCase
  include DashboardPage

  ROWS = "[...document.querySelectorAll('#guests tbody tr')].map((row) => " \
         "[...row.cells].map((cell) => cell.textContent.replaceAll('\\u00A0', ' ')))"

  test "who runs what, since when, with how much memory and how much longer" do
    open_page do |browser|
      assert_equal [["bin/rails console", "24 min 30 s", "31.0 MiB", "35 min 30 s"],
                    ["bin/rake reports:month", "24 min 30 s", "31.0 MiB", "no limit"]],
        browser.evaluate(ROWS)
      assert_equal "2 guests run, the oldest for 24 min 30 s: 62.0 MiB of their own.",
        says(browser, "guests").tr("\u00A0", " ")
    end
  end

  test "without guests it says so" do
    @stats = -> { with_guests([]) }
    open_page { |browser| assert_equal "No guest runs.", says(browser, "guests") }
  end

  test "a guest that starts, one that is told to exit, and a program that looks like markup" do
    program = "-e <img src=x onerror=alert(1)> ? 1 : 2"
    @stats = lambda do
      first, second = @fixture.stats[:processes].select { |one| one[:role] == "guest" }
      with_guests([first.merge(request: nil, request_age: nil, state: "starting", client_pid: nil, private: nil),
                   second.merge(request: program, state: "leaving")])
    end
    open_page do |browser|
      rows = browser.evaluate(ROWS)

      assert_equal ["starting", "starting", "–", "35 min 30 s"], rows.first
      assert_equal [program, "told to exit"], rows.last.values_at(0, -1)
    end
  end

  def with_guests(guests)
    stats = @fixture.stats
    stats.merge(processes: stats[:processes].reject { |one| one[:role] == "guest" } + guests)
  end
end
