# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class OpentelemetrySdkPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "opentelemetry/sdk"
      class Notes
        def initialize = @file = File.open(ENV.fetch("NOTES"), "a").tap { |file| file.sync = true }
        def force_flush(timeout: nil) = OpenTelemetry::SDK::Trace::Export::SUCCESS
        def shutdown(timeout: nil) = force_flush

        def export(spans, timeout: nil)
          @file.puts(spans.map(&:name))
          force_flush
        end
      end
      OpenTelemetry::SDK.configure do |config|
        config.add_span_processor(OpenTelemetry::SDK::Trace::Export::BatchSpanProcessor.new(Notes.new, schedule_delay: 50))
      end
      TRACER = OpenTelemetry.tracer_provider.tracer("app")
      run(lambda do |env|
        TRACER.in_span(env["QUERY_STRING"]) { nil }
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process exports its spans, each once" do
      with_tmpdir do |folder|
        notes = File.join(folder, "notes").tap { |path| File.write(path, "") }

        assert_delivers(APP, env: { "NOTES" => notes }) { File.binread(notes) }
      end
    end
  end
end
