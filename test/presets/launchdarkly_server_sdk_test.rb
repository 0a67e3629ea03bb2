# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class LaunchdarklyServerSdkPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "ldclient-rb"
      CLIENT = LaunchDarkly::LDClient.new("key", LaunchDarkly::Config.new(
        data_source: LaunchDarkly::Integrations::TestData.data_source, events_uri: ENV.fetch("EVENTS"),
        flush_interval: 0.1, read_timeout: 60, connect_timeout: 60,
        diagnostic_opt_out: true, logger: Logger.new(File::NULL)
      ))
      run(lambda do |env|
        CLIENT.track(env["QUERY_STRING"], LaunchDarkly::LDContext.create({ key: "user", kind: "user" }))
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    # Its connections are closed before a fork, also while its thread sends something: it does so once more then.
    test "each process sends its events, each once" do
      Collectors.http(identifier: "x-launchdarkly-payload-id") do |events, received|
        assert_delivers(APP, env: { "EVENTS" => events.url }, &received)
      end
    end

    test "without the preset a copy sends nothing" do
      Collectors.http do |events, received|
        refute_delivers(APP, env: { "EVENTS" => events.url }, last_generation: 0,
          config: "fork_safety_presets except: [:launchdarkly_server_sdk]", &received)
      end
    end
  end
end
