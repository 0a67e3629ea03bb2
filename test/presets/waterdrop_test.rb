# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/kafka"

module Coppice
  class WaterdropPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "waterdrop"
      PRODUCER = WaterDrop::Producer.new do |config|
        config.kafka = { "bootstrap.servers": ENV.fetch("KAFKA") }
        config.logger = Logger.new(File::NULL)
      end
      run(lambda do |env|
        token = env["QUERY_STRING"]
        PRODUCER.produce_sync(topic: "test", payload: token)
        [200, {}, ["#{token} - #{Process.pid}"]]
      end)
    RUBY

    test "workers that have produced are promoted, and what all workers produce arrives once" do
      with_broker { |env, kafka| assert_delivers(APP, env: env) { kafka.text } }
    end

    test "without the preset the producer raises an error in a copy" do
      with_broker do |env, _kafka|
        assert_fails_without(:waterdrop, APP, with: /ProducerUsedInParentProcess/, env: env)
      end
    end

    private

    def with_broker
      Kafka.open("waterdrop", environment) { |kafka| yield({ "KAFKA" => kafka.address }, kafka) }
    end
  end
end
