# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class RdkafkaPresetTest < PresetTestCase
    # Nothing listens: librdkafka finds in its threads that it cannot deliver, which takes a second. Only the first
    # request of a process produces, and only one worker in two.
    APP = <<~'RUBY'
      require "rdkafka"
      KAFKA = { "bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 100, "log_level": 0 }
      def deliver(token)
        return if $delivered_by == Process.pid
        $delivered_by = Process.pid
        $producer ||= Rdkafka::Config.new(KAFKA).producer
        $producer.produce(topic: "test", payload: token).wait(max_wait_timeout_ms: 50_000)
      rescue Rdkafka::RdkafkaError => error
        raise unless error.code == :msg_timed_out
      end
      run(lambda do |env|
        worker = env["coppice.worker"]
        deliver(env["QUERY_STRING"]) if EVERY_WORKER || worker.nr == 1
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY
    ENVIRONMENT = { "BUNDLE_WITHOUT" => "waterdrop" }.freeze

    test "the worker that has a client is never promoted" do
      assert_survives("EVERY_WORKER = false\n#{APP}", env: ENVIRONMENT)
    end

    test "without the preset nothing is delivered in a copy" do
      assert_fails_without(:rdkafka, "EVERY_WORKER = true\n#{APP}", env: ENVIRONMENT)
    end
  end
end
