# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class DalliPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "dalli"
      def client = $client ||= Dalli::Client.new(ENV.fetch("MEMCACHED"), socket_timeout: 60)
      run(lambda do |env|
        client.set("by#{Process.pid}", env["QUERY_STRING"])
        [200, {}, ["#{client.get("by#{Process.pid}")} - #{Process.pid}"]]
      end)
    RUBY

    test "each process has a connection of its own" do
      with_service(:memcached) do |service|
        assert_survives(APP, env: { "MEMCACHED" => "127.0.0.1:#{service.port}" })
      end
    end
  end
end
