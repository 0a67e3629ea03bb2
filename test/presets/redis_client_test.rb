# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class RedisClientPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "redis-client"
      def client = $client ||= RedisClient.config(path: ENV.fetch("REDIS"), timeout: 60).new_client
      run(lambda do |env|
        echo, id = client.pipelined { |pipeline| pipeline.call("ECHO", env["QUERY_STRING"]); pipeline.call("CLIENT", "ID") }
        [200, {}, ["#{echo} #{id} #{Process.pid}"]]
      end)
    RUBY

    test "each process has a connection of its own" do
      with_service(:redis) { |service| assert_survives(APP, env: { "REDIS" => service.path("socket") }) }
    end

    test "a pool that was filled at boot" do
      app = APP.sub("new_client", "new_pool(size: 2)").sub("\nrun", "\nclient.call('PING')\nrun")
      with_service(:redis) { |service| assert_survives(app, env: { "REDIS" => service.path("socket") }) }
    end

    TLS = APP.sub("path: ENV.fetch(\"REDIS\")", <<~RUBY.tr("\n", " ")).freeze
      url: "rediss://127.0.0.1:\#{ENV.fetch("REDIS")}", ssl_params: { verify_mode: OpenSSL::SSL::VERIFY_NONE }
    RUBY
    POOL = TLS.sub("new_client", "new_pool(size: 2)").freeze

    test "clients and pools with TLS" do
      with_service(:redis) do |service|
        [TLS, POOL].each { |app| assert_survives(app, env: { "REDIS" => service.port.to_s }) }
      end
    end
  end
end
