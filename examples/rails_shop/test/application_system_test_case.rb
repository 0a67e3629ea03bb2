# frozen_string_literal: true

ENV["RAILS_ENV"] = "test"

require_relative "../config/environment"
require "rails/test_help"
require "coppice/capybara"
require "capybara/cuprite"

# A machine with other work may need a while to draw a page.
Capybara.default_max_wait_time = 60

# Tests in headless Chromium. Coppice serves the shop on threads of the test's own process.
class ApplicationSystemTestCase < ActionDispatch::SystemTestCase
  # A machine with other work may need a while to start the browser.
  driven_by :cuprite, options: { process_timeout: 120, timeout: 60,
                                 browser_options: { "no-sandbox" => nil, "disable-gpu" => nil } }
end
