# frozen_string_literal: true

require "hanami"

module Trees
  # Answers what test/integration/frameworks_test.rb asks, in Hanami's own ways.
  class App < Hanami::App
    config.actions.sessions = :cookie, { key: "trees.session", secret: "0123456789abcdef" * 4 }
    config.actions.csrf_protection = false # the test posts without asking for a form first
    config.middleware.use Rack::Static, urls: ["/robots.txt"], root: "public"
  end
end
