# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class ConnectionPoolPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "connection_pool"
      require "net/http"
      class Connection
        def initialize(url)
          tls = { use_ssl: url.scheme == "https", verify_mode: OpenSSL::SSL::VERIFY_NONE }
          @http = Net::HTTP.start(url.host, url.port, keep_alive_timeout: 60, **tls)
        end
        def close = @http.finish
        def post(token) = @http.post("/#{token}", "").body
      end
      POOL = ConnectionPool.new(size: 2) { Connection.new(URI(ENV.fetch("ECHO"))) }
      run ->(env) { [200, {}, ["#{POOL.with { |connection| connection.post(env["QUERY_STRING"]) }} #{Process.pid}"]] }
    RUBY

    QUIET = "fork_safety_presets except: [:net_http]"

    [false, true].each do |tls|
      test "each process fills pools of its own#{", with TLS" if tls}" do
        EchoServer.open(tls: tls) { |echo| assert_survives(APP, config: QUIET, env: { "ECHO" => echo.url }) }
      end
    end

    # A read of the parent ends there: EOFError, or an error of TLS.
    test "without the preset, a copy ends a TLS connection of its parent" do
      EchoServer.open(tls: true) do |echo|
        assert_fails_without(:connection_pool, APP, with: /: (?:500|503) /, env: { "ECHO" => echo.url })
      end
    end

    # What is closed already, such as a connection of pg that the application has closed.
    CLOSED = <<~'RUBY'
      require "connection_pool"
      class Closed
        def close = raise(IOError, "closed already")
      end
      POOLS = Array.new(2) { ConnectionPool.new(size: 1) { Closed.new } }
      run(lambda do |env|
        POOLS.each { |pool| pool.with(&:itself) }
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "a connection that cannot be closed leaves its pool usable" do
      assert_survives(CLOSED)
    end
  end
end
