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
      "HTTP_X_FORWARDED_FOR" => "6.6.6.6", "HTTP_X_FORWARDED_HOST" => "evil.test", "HTTP_X_FORWARDED_SSL" => "off",
      "HTTP_X_FORWARDED_PROTO" => "http", "HTTP_X_FORWARDED_SCHEME" => "http"
    }.freeze

    # An application that answers its env, behind what the page has before it in config.ru.
    def application
      with_tmpdir do |folder|
        FileUtils.mkdir(File.join(folder, "lib"))
        File.write(File.join(folder, "lib/ignore_forwarded.rb"), PAGE.block("lib/ignore_forwarded.rb"))
        rackup = "#{PAGE.block("at the top of config.ru")}\nrun ->(env) { env }\n"
        Rack::Builder.new_from_string(rackup, File.join(folder, "config.ru")).then { |app, _| app }
      end
    end

    test "the application sees nothing that a client says of itself as if it were a proxy" do
      https = { "rack.url_scheme" => "https", "HTTP_HOST" => "shop.test" }
      env = application.call(Rack::MockRequest.env_for("/", FORGED.merge(https)))
      request = Rack::Request.new(env)

      assert_equal ["https://shop.test/", "10.1.1.1"], [request.url, request.ip]
      refute_includes env, "HTTP_CLIENT_IP"
    end
  end
end
