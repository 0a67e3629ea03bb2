# frozen_string_literal: true

require_relative "bounded_wait"

module Coppice
  # A headless Chromium that looks at a page of the dashboard.
  module DashboardBrowser
    PROGRAMS = %w[chromium chromium-browser google-chrome].freeze
    # Nothing of it may reach another host: the dashboard works without a network.
    OPTIONS = { "no-sandbox" => nil, "disable-gpu" => nil,
                "host-resolver-rules" => "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "hide-scrollbars" => nil,
                "force-color-profile" => "srgb" }.freeze
    DRAWN = "document.body.dataset.frame > 0"

    # Why there is no browser here; nil when there is one.
    def self.missing
      return "Chromium is not installed" unless program

      require "ferrum"
      nil
    rescue LoadError
      "the gem ferrum is not installed (BUNDLE_WITHOUT has its group, browser)"
    end

    def self.program
      folders = ENV.fetch("PATH", "").split(File::PATH_SEPARATOR)
      PROGRAMS.product(folders).map { |name, folder| "#{folder}/#{name}" }.find { |path| File.executable?(path) }
    end

    # What the console has had: errors of the page, files that are missing, what the page's policy forbids. A lost
    # connection is none.
    module Complaints
      EXPECTED = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/.freeze

      def complaints = @complaints.grep_v(EXPECTED)

      def watch_console
        @complaints = []
        page.on("Log.entryAdded") { |event| note(event["entry"]) }
        page.on("Runtime.exceptionThrown") { |event| @complaints << event["exceptionDetails"].to_s }
        page.on("Runtime.consoleAPICalled") { |event| @complaints << event["args"].to_s if event["type"] == "error" }
        page.command("Log.enable")
      end

      private

      def note(entry)
        @complaints << "#{entry["text"]} #{entry["url"]}" if %w[error warning].include?(entry["level"])
      end
    end

    # Yields the browser once the page is drawn. scheme: "light" or "dark". The browser is the same each time, because
    # its start takes long; it forgets what it has seen.
    def self.open(address, width: 1280, height: 900, scheme: "light", drawn: DRAWN)
      browser = (@browser ||= start)
      browser.watch_console
      media = { "prefers-color-scheme" => scheme, "prefers-reduced-motion" => "reduce" }
      browser.page.command("Emulation.setEmulatedMedia",
        features: media.map { |name, value| { name: name, value: value } })
      browser.set_viewport(width: width, height: height, scale_factor: 1)
      browser.go_to("#{address}/")
      wait_for(browser, drawn)
      yield browser
    ensure
      browser&.reset
    end

    # It is ended with this process.
    def self.start
      require "ferrum"
      owner = Process.pid
      browser = Ferrum::Browser.new(browser_path: program, headless: "new", timeout: BoundedWait.seconds,
        process_timeout: BoundedWait.seconds, js_errors: false, browser_options: OPTIONS)
      at_exit { browser.quit if Process.pid == owner }
      browser.extend(Complaints)
    end
    private_class_method :start

    # Waits until the expression is true in the page. timeout: seconds of waiting.
    def self.wait_for(browser, expression, timeout = BoundedWait::SECONDS)
      BoundedWait.wait(timeout, "not true in the page: #{expression}") { browser.evaluate("Boolean(#{expression})") }
    end
  end
end
