# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class NatsPurePresetTest < PresetTestCase
    # Each request is answered by what has subscribed, with the name of its connection.
    APP = <<~'RUBY'
      require "nats/client"
      CLIENT = NATS.connect("nats://127.0.0.1:#{ENV.fetch("BROKER")}")
      SUBSCRIBE = -> { CLIENT.subscribe("echo", queue: "echo") { |message| message.respond(message.data) } }
      SUBSCRIBE.call if ENV["AT_BOOT"]
      def echo(token)
        CLIENT.request("echo", token, timeout: 50).data
      rescue NATS::IO::NoRespondersError
        raise if ENV["AT_BOOT"]
        IO.select(nil, nil, nil, 0.01) # the service may subscribe later than the first request comes
        retry
      end
      run(lambda do |env|
        [200, {}, ["#{echo(env["QUERY_STRING"])} #{CLIENT.server_info[:client_id]} #{Process.pid}"]]
      end)
    RUBY

    test "a subscription of a service, which each copy sends requests to" do
      with_broker do |env|
        service = "service(:nats, survives_reforks: true) { ::SUBSCRIBE.call && sleep }"
        assert_survives(APP, env: env, config: service) do |server|
          refute_match(/msg="fork audit: /, server.log)
        end
      end
    end

    test "a subscription that was made at boot is gone with the process that made it" do
      with_broker do |env|
        failures = failures_of(APP, env: env.merge("AT_BOOT" => "1"), config: IMPATIENT)

        assert_match(/ 500 NATS::IO::NoRespondersError/, failures.first)
      end
    end

    private

    def with_broker
      with_service(:nats) { |service| yield({ "BROKER" => service.port.to_s }) }
    end
  end
end
