# frozen_string_literal: true

# How long the dashboard keeps a browser from drawing, with many workers and a refork under way: the longest of its
# tasks for each answer of the server, and the longest gap between two frames.
#
#   bundle exec ruby bench/dashboard.rb [WORKERS] [POLLS]     1024 workers and 12 polls unless given

$LOAD_PATH.unshift(File.expand_path("../lib", __dir__))
require "coppice/errors"
require "coppice/dashboard"
require_relative "../test/support/dashboard_browser"
require_relative "../test/support/dashboard_fixture"
require_relative "../test/support/dashboard_server"

# Notes the gaps between frames, and what the page says of its own work.
WATCH = <<~JAVASCRIPT
  window.gaps = []; window.draws = []; window.last = performance.now(); window.frameSeen = document.body.dataset.frame;
  const watch = (now) => {
    window.gaps.push(now - window.last);
    window.last = now;
    if (document.body.dataset.frame !== window.frameSeen) {
      window.frameSeen = document.body.dataset.frame;
      window.draws.push(Number(document.body.dataset.drawMs));
    }
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
JAVASCRIPT

workers = Integer(ARGV.fetch(0, 1024))
polls = Integer(ARGV.fetch(1, 12))
abort Coppice::DashboardBrowser.missing if Coppice::DashboardBrowser.missing

fixture = Coppice::DashboardFixture.new(workers: workers)
fixture.refork
history = ->(since) { fixture.advance(2) && fixture.history(since) }
server = Coppice::DashboardServer.new(Coppice::Dashboard.new(stats: -> { fixture.stats }, history: history))
begin
  Coppice::DashboardBrowser.open(server.address, width: 1440, height: 1000, scheme: "dark") do |browser|
    first = browser.evaluate("Number(document.body.dataset.drawMs)")
    browser.execute(WATCH)
    Coppice::DashboardBrowser.wait_for(browser, "window.draws.length >= #{polls}", polls * 10)
    draws = browser.evaluate("window.draws").sort
    gaps = browser.evaluate("window.gaps").sort
    puts "#{workers} workers, #{polls} answers: longest task #{first.round} ms for the first, then " \
         "#{draws[draws.size / 2].round} ms (median), #{draws.last.round} ms (longest); " \
         "longest gap between two frames #{gaps.last.round} ms, median #{gaps[gaps.size / 2].round(1)} ms"
  end
ensure
  server.stop
end
