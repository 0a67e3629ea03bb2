# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/kafka"

module Coppice
  class RdkafkaPresetTest < PresetTestCase
    # One worker in two produces, each with a client of its own, or with the one that its process is a copy of.
    APP = <<~'RUBY'
      require "rdkafka"
      KAFKA = { "bootstrap.servers": ENV.fetch("KAFKA"), "log_level": 0 }
      def deliver(token)
        $producer ||= Rdkafka::Config.new(KAFKA).producer
        $producer.produce(topic: "test", payload: token).wait(max_wait_timeout_ms: PATIENCE)
      end
      run(lambda do |env|
        deliver(env["QUERY_STRING"]) if EVERY_WORKER || env["coppice.worker"].nr == 1
        [200, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY
    ENVIRONMENT = { "BUNDLE_WITHOUT" => "waterdrop" }.freeze

    test "the worker that has a client is never promoted, and what workers produce arrives once" do
      with_broker do |env, kafka|
        assert_delivers("EVERY_WORKER, PATIENCE = false, 50_000\n#{APP}", from: 1, env: env) { kafka.text }
      end
    end

    test "without the preset nothing is delivered in a copy" do
      with_broker do |env, _kafka|
        app = "EVERY_WORKER, PATIENCE = true, 5_000\n#{APP}"
        assert_fails_without(:rdkafka, app, with: /ClosedProducerError/, env: env)
      end
    end

    private

    def with_broker
      Kafka.open("rdkafka", environment.merge(ENVIRONMENT)) do |kafka|
        yield ENVIRONMENT.merge("KAFKA" => kafka.address), kafka
      end
    end
  end
end
