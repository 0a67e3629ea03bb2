# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class RedisPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "redis"
      def redis = $redis ||= Redis.new(path: ENV.fetch("REDIS"), timeout: 60)
      run(lambda do |env|
        [200, {}, [[redis.echo(env["QUERY_STRING"]), redis.call("CLIENT", "ID"), Process.pid].join(" ")]]
      end)
    RUBY

    test "each process has a connection of its own" do
      with_service(:redis) { |service| assert_survives(APP, env: { "REDIS" => service.path("socket") }) }
    end
  end
end
