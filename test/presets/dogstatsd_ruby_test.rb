# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/collectors"

module Coppice
  class DogstatsdRubyPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "datadog/statsd"
      STATSD = Datadog::Statsd.new("127.0.0.1", Integer(ENV.fetch("STATSD")), buffer_flush_interval: 0.2)
      run(lambda do |env|
        STATSD.increment(env["QUERY_STRING"])
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each process delivers its metrics, each once" do
      Collectors::Datagrams.open do |statsd|
        assert_delivers(APP, env: { "STATSD" => statsd.port.to_s }) { statsd.text }
      end
    end
  end
end
