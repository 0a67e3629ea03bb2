# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class FaradayPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "faraday"
      require "faraday/net_http_persistent"
      HTTP = Faraday.new(ENV.fetch("ECHO"), ssl: { verify: false }) { |faraday| faraday.adapter ENV.fetch("ADAPTER").to_sym }
      run ->(env) { [200, {}, ["#{HTTP.get("/#{env["QUERY_STRING"]}").body} #{Process.pid}"]] }
    RUBY

    %w[net_http net_http_persistent].each do |adapter|
      test "each process has connections of its own with #{adapter}" do
        EchoServer.open(tls: true) do |echo|
          assert_survives(APP, env: { "ECHO" => echo.url, "ADAPTER" => adapter })
        end
      end
    end
  end
end
