# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class NetHttpPersistentPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "net/http/persistent"
      # POST: a GET would be repeated, which would hide a broken connection.
      def http
        $http ||= Net::HTTP::Persistent.new.tap do |http|
          http.verify_mode = OpenSSL::SSL::VERIFY_NONE
          http.idle_timeout = 60 # seconds; the default is 5
        end
      end
      run(lambda do |env|
        url = URI("#{ENV.fetch("ECHO")}/#{env["QUERY_STRING"]}")
        [200, {}, ["#{http.request(url, Net::HTTP::Post.new(url).tap { |post| post.body = "" }).body} #{Process.pid}"]]
      end)
    RUBY

    QUIET = "fork_safety_presets except: [:net_http]"

    [false, true].each do |tls|
      test "each process has connections of its own#{", with TLS" if tls}" do
        EchoServer.open(tls: tls) { |echo| assert_survives(APP, config: QUIET, env: { "ECHO" => echo.url }) }
      end
    end

    # Its pool is one of connection_pool, whose preset closes the connections as well.
    test "without the presets, the copy ends a TLS connection of its parent" do
      EchoServer.open(tls: true) do |echo|
        assert_fails_without(:net_http_persistent, :connection_pool, APP, env: { "ECHO" => echo.url })
      end
    end
  end
end
