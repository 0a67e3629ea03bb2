# frozen_string_literal: true

require "rack"
require "test_helper"
require_relative "../../support/documentation"

module Coppice
  # What docs/proxies.md shows for the application. Its nginx and HAProxy are in
  # test/integration/rolling_deploy_test.rb.
  class ProxiesPageTest < TestCase
    PAGE = Documentation.new("proxies.md")

    # From a private network, which Rack trusts.
    FORGED = {
      "REMOTE_ADDR" => "10.1.1.1", "HTTP_CLIENT_IP" => "6.6.6.6", "HTTP_FORWARDED" => "for=7.7.7.7;host=evil.test",
      "HTTP_X_FORWARDED_FOR" => "6.6.6.6", "HTTP_X_FORWARDED_HOST" => "evil.test", "HTTP_X_FORWARDED_SSL" => "on"
    }.freeze

    # The class of the page, around an application that answers its env.
    def application
      page = Module.new
      page.module_eval(PAGE.block("lib/ignore_forwarded.rb"))
      page::IgnoreForwarded.new(->(env) { env })
    end

    test "the application sees nothing that a client says of itself as if it were a proxy" do
      env = application.call(Rack::MockRequest.env_for("http://shop.test/", FORGED))
      request = Rack::Request.new(env)

      assert_equal ["http://shop.test/", "10.1.1.1"], [request.url, request.ip]
      refute_includes env, "HTTP_CLIENT_IP"
    end
  end
end
