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

    # Its second word is the id of this process's client of remote configuration.
    REMOTE = <<~'RUBY'
      require "datadog"
      Datadog.configure do |config|
        config.logger.instance = Logger.new(File::NULL)
        config.remote.enabled = true
        config.remote.poll_interval_seconds = 0.2
        config.tracing.instrument :rack
      end
      use Datadog::Tracing::Contrib::Rack::TraceMiddleware
      run(lambda do |env|
        client = Datadog::Core::Remote.active_remote.client.id
        [200, {}, ["#{env["QUERY_STRING"]} #{client} #{Process.pid}"]]
      end)
    RUBY
    INFO = '{"version":"7.50.0","endpoints":["/v0.4/traces","/v0.7/config"]}'

    test "each process asks for remote configuration, as a client of its own" do
      answer = ->(path, _body) { path == "/info" ? INFO : "{}" }
      Collectors.http(answer: answer) do |agent, received|
        assert_survives(REMOTE, env: { "DD_TRACE_AGENT_URL" => agent.url }) do |server, traffic|
          server.ready_workers.each do |worker|
            client = traffic.owners.key(worker.pid.to_s)
            eventually(60, "process #{worker.pid} never asked") { received.call.include?(%("id":"#{client}")) }
          end
        end
      end
    end

    test "each process delivers its traces, each once" do
      Collectors.http do |agent, received|
        env = { "DD_TRACE_AGENT_URL" => agent.url, "DD_TRACE_SAMPLE_RATE" => "1" }

        assert_delivers(APP, env: env) { received.call.scan(/span:(\w+);/n).join("\n") }
      end
    end
  end
end
