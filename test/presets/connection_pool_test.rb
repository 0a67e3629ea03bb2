# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class ConnectionPoolPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "connection_pool"
      require "net/http"
      class Connection
        def initialize(url) = @http = Net::HTTP.start(url.host, url.port, keep_alive_timeout: 60)
        def close = @http.finish
        def post(token) = @http.post("/#{token}", "").body
      end
      POOL = ConnectionPool.new(size: 2) { Connection.new(URI(ENV.fetch("ECHO"))) }
      run ->(env) { [200, {}, ["#{POOL.with { |connection| connection.post(env["QUERY_STRING"]) }} #{Process.pid}"]] }
    RUBY

    test "each process fills pools of its own" do
      EchoServer.open do |echo|
        assert_survives(APP, config: "fork_safety_presets false", env: { "ECHO" => echo.url })
      end
    end
  end
end
