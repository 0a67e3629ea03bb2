# frozen_string_literal: true

require "uri" # Lint of Rack 2 forgets to
require "rack"
require "rack/lint"
require "coppice/version_order"
require_relative "test_case"
require_relative "http_harness"

module Coppice
  # The parent of tests that hold us to Rack's SPEC, with whichever Rack is installed.
  class LintTestCase < TestCase
    GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    HEAD = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
    TEXT = { "content-type" => "text/plain" }.freeze

    private

    def rack2? = !VersionOrder.at_least?(::Rack.release, "3")

    # The answer of an application with Lint around it, which must have found nothing.
    def lint(request, **settings, &app) = answer_of(app, request, **settings)

    def answer_of(app, request, **settings)
      harness = HttpHarness.new(::Rack::Lint.new(app), **settings)
      answer = harness.serve(request)
      assert_empty harness.log.at(:error)
      answer
    end
  end
end
