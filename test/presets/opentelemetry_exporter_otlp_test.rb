# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class OpentelemetryExporterOtlpPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "opentelemetry/sdk"
      require "opentelemetry/exporter/otlp"
      OpenTelemetry.logger = Logger.new(File::NULL)
      OpenTelemetry::SDK.configure
      TRACER = OpenTelemetry.tracer_provider.tracer("app")
      run(lambda do |env|
        TRACER.in_span("span:#{env["QUERY_STRING"]};", attributes: { "process" => "process:#{Process.pid};" }) { nil }
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process exports its spans, each once, on a connection of its own" do
      connections = Hash.new { |hash, number| hash[number] = [] }
      export(connections) { |env, received| assert_delivers(APP, env: env, &received) }

      assert_empty(connections.values.map(&:tally).select { |pids| pids.size > 1 })
    end

    test "without the preset, processes share a connection" do
      connections = Hash.new { |hash, number| hash[number] = [] }
      export(connections) { |env| failures_of(APP, config: "fork_safety_presets except: [:net_http]", env: env) }

      refute_empty(connections.values.select { |pids| pids.uniq.size > 1 })
    end

    private

    # Adds the pids of each connection to the Hash.
    def export(connections)
      text = "".b
      lock = Mutex.new
      respond = lambda do |request|
        pids = request.body.scan(/process:(\d+);/n).flatten
        lock.synchronize { text << request.body && connections[request.connection].concat(pids) }
        ""
      end
      EchoServer.open(respond: respond) do |otlp|
        env = { "OTEL_EXPORTER_OTLP_ENDPOINT" => otlp.url, "OTEL_EXPORTER_OTLP_COMPRESSION" => "none",
                "OTEL_BSP_SCHEDULE_DELAY" => "50" }
        # Identifiers in the same bodies are random bytes.
        yield env, -> { lock.synchronize { text.scan(/span:(\w+);/n).join("\n") } }
      end
    end
  end
end
