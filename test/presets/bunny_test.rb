# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class BunnyPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "bunny"
      module Broker
        def self.channel = @channel ||= session.create_channel
        def self.session = @session ||= Bunny.new(port: Integer(ENV.fetch("BROKER")), continuation_timeout: 50_000,
                                               logger: Logger.new(File::NULL)).start

        def self.close
          @session&.close
          @session = @channel = nil
        end
      end
      run(lambda do |env|
        queue = Broker.channel.queue("", exclusive: true)
        Broker.channel.default_exchange.publish(env["QUERY_STRING"], routing_key: queue.name)
        _, _, echo = queue.pop
        queue.delete
        [200, {}, ["#{echo} - #{Process.pid}"]]
      end)
    RUBY

    test "closed before the fork, each process has a session of its own" do
      with_service(:rabbitmq) do |broker|
        assert_survives(APP, env: { "BROKER" => broker.port.to_s }, config: "before_fork { ::Broker.close }")
        refute_empty failures_of(APP, env: { "BROKER" => broker.port.to_s }, config: IMPATIENT), "without the advice"
      end
    end
  end
end
