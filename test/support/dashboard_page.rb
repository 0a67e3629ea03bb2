# frozen_string_literal: true

require "coppice/errors"
require "coppice/dashboard"
require_relative "dashboard_browser"
require_relative "dashboard_fixture"
require_relative "dashboard_server"

# The page of the dashboard in a browser, beside a server that is played: for tests to include.
module DashboardPage
  def setup
    reason = Coppice::DashboardBrowser.missing
    skip reason if reason
    @fixture = Coppice::DashboardFixture.new(steps: 700)
  end

  # Fails when the console has had an error, or the page's policy has forbidden something.
  def open_page(scheme: "light", width: 1280, port: 0, **features)
    @features = features
    @server = serve(port)
    Coppice::DashboardBrowser.open(@server.address, scheme: scheme, width: width) do |browser|
      answer = yield browser
      assert_empty browser.complaints
      answer
    end
  ensure
    @server&.stop
  end

  def serve(port)
    stats = @stats || -> { @stats_error ? {} : @fixture.stats }
    app = Coppice::Dashboard.new(stats: stats, history: ->(since) { @fixture.history(since) },
      page_map: ->(slot) { @fixture.page_map(slot) }, **@features)
    Coppice::DashboardServer.new(app, port: port, mounted_at: @mounted_at.to_s)
  end

  def says(browser, view) = browser.evaluate("document.getElementById('#{view}-says').textContent")

  def reached(browser, expression)
    Coppice::DashboardBrowser.wait_for(browser, expression)
    pass
  end

  # The same where it depends on what the server says by now: the page asks at once, as one that comes to the front
  # does, and not only every two seconds.
  def reached_by_asking(browser, expression)
    reached(browser, "document.dispatchEvent(new Event('visibilitychange')) && (#{expression})")
  end
end
