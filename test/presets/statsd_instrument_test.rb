# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class StatsdInstrumentPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "statsd-instrument"
      run(lambda do |env|
        StatsD.increment(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process delivers its metrics, each once" do
      with_statsd { |env, received| assert_delivers(APP, env: env, &received) }
    end

    test "each process delivers aggregated metrics, each once" do
      with_statsd(aggregation: "1") { |env, received| assert_delivers(APP, env: env, &received) }
    end

    test "without the preset a mold sends its copies of aggregated metrics" do
      with_statsd(aggregation: "1") do |env, received|
        failures_of(APP, env: env, config: "fork_safety_presets except: [:statsd_instrument]") do
          eventually { arrived(received).values.max.to_i > 1 }
        end
      end
    end

    private

    def with_statsd(aggregation: "0")
      Collectors::Datagrams.open do |statsd|
        yield({ "STATSD_ADDR" => "127.0.0.1:#{statsd.port}", "STATSD_ENV" => "production",
                "STATSD_ENABLE_AGGREGATION" => aggregation }, -> { statsd.text })
      end
    end
  end
end
