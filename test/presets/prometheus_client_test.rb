# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class PrometheusClientPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "prometheus/client"
      require "prometheus/client/data_stores/direct_file_store"
      require "prometheus/client/formats/text"
      Prometheus::Client.config.data_store = Prometheus::Client::DataStores::DirectFileStore.new(dir: ENV.fetch("STORE"))
      COUNTER = Prometheus::Client.registry.counter(:served, docstring: "Requests")
      run(lambda do |env|
        next [200, {}, [Prometheus::Client::Formats::Text.marshal(Prometheus::Client.registry)]] if env["PATH_INFO"] == "/metrics"
        COUNTER.increment
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "each request is counted once, in a file for each process that ever served" do
      with_tmpdir do |folder|
        assert_survives(APP, env: { "STORE" => folder }) do |server, traffic|
          traffic.stop
          answered = traffic.tokens

          assert_equal answered.size, server.get("/metrics").body[/^served (\d+)/, 1].to_i
          assert_operator Dir.children(folder).size, :>=, answered.values.uniq.size
          assert_operator Dir.children(folder).size, :>, server.ready_workers.size
        end
      end
    end
  end
end
