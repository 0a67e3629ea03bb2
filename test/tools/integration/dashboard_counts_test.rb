# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require_relative "../../support/dashboard_page"

# What the dashboard counts as a request, a refusal and a refork, in a browser.
class DashboardCountsTest < Coppice::TestCase
  include DashboardPage

  test "out-of-band work is no request in flight, nor that of a worker that was told to exit" do
    stats = @fixture.stats
    work = { request: "out-of-band work", in_flight: false, request_age: 50.0 }
    workers = stats[:processes].select { |process| process[:role] == "worker" }
    workers.zip(%w[idle leaving].cycle) { |process, state| process.update(**work, state: state) }
    @stats = -> { stats }
    open_page { |browser| assert_equal "No request is in flight.", says(browser, "requests") }
  end

  test "a worker with work after its response is not told as one whose client waits" do
    stats = @fixture.stats
    request = { request: "GET /x", in_flight: true, request_age: 9.0, state: "busy", answered_age: nil }
    stats[:processes].each { |process| process.update(in_flight: false) }
    first, second = stats[:processes].select { |process| process[:role] == "worker" }
    first.update(request)
    second.update(**request, request_age: 60.0, answered_age: 12.0)
    @stats = -> { stats }
    open_page do |browser|
      assert_equal "1 request, the oldest for 9.00 s; 1 with work after the response.",
        says(browser, "requests").tr("\u00A0", " ")
      assert_includes browser.evaluate("document.querySelector('#requests table').textContent"), "after response 12"
    end
  end

  test "the requests that were refused are those of workers and of the lobby" do
    refused = [["400", "request", 5], ["503", "max_waiting", 4], ["502", "worker_lost", 100], ["504", "timeout", 100]]
    lobby = { refused: refused.map { |status, cause, count| { status: status, cause: cause, count: count } } }
    totals = @fixture.stats[:totals].merge(refused: 2)
    @stats = -> { @fixture.stats.merge(totals: totals, lobby: lobby) }
    open_page do |browser|
      note = browser.evaluate("document.querySelector('#utilization .note').textContent")
      assert_match(/, 11 were refused\.\z/, note)
    end
  end

  test "a promotion that is no refork is not shown as one" do
    committed = @fixture.stats[:promotions].find { |one| one[:outcome] == "committed" && one[:private_after] }
    @stats = -> { @fixture.stats.merge(promotions: [committed.merge(reason: "roll", refork: false)]) }
    open_page do |browser|
      assert_match(/no refork yet\.\z/, says(browser, "promotions"))
      memory = browser.evaluate("document.querySelector('#memory').textContent")
      assert_includes memory, "No refork has been measured yet."
    end
  end
end
