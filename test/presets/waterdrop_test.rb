# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class WaterdropPresetTest < PresetTestCase
    # Nothing listens: librdkafka tries to connect in its threads. One worker in two produces.
    APP = <<~'RUBY'
      require "waterdrop"
      PRODUCER = WaterDrop::Producer.new do |config|
        config.kafka = { "bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 1000 }
        config.logger = Logger.new(File::NULL)
      end
      run(lambda do |env|
        worker = env["coppice.worker"]
        PRODUCER.produce_async(topic: "test", payload: env["QUERY_STRING"]) if EVERY_WORKER || worker.nr == 1
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "the worker that has produced is never promoted" do
      assert_survives("EVERY_WORKER = false\n#{APP}")
    end

    test "without the preset the producer raises an error in a copy" do
      failures = failures_without([:waterdrop], "EVERY_WORKER = true\n#{APP}")

      assert_match(/ 500 /, failures.first)
    end
  end
end
