# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class DatadogPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "datadog"
      Datadog.configure do |config|
        config.logger.instance = Logger.new(File::NULL)
        config.service = "app"
      end
      run(lambda do |env|
        Datadog::Tracing.trace("request", resource: "span:#{env["QUERY_STRING"]};") { nil }
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process delivers its traces, each once" do
      Collectors.http do |agent, received|
        env = { "DD_TRACE_AGENT_URL" => agent.url, "DD_TRACE_SAMPLE_RATE" => "1" }

        assert_delivers(APP, env: env) { received.call.scan(/span:(\w+);/n).join("\n") }
      end
    end
  end
end
