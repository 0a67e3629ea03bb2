# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class AwsSdkCorePresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "aws-sdk-sqs"
      QUEUE = Aws::SQS::Client.new(region: "us-east-1", access_key_id: "id", secret_access_key: "key", retry_limit: 0,
                                   endpoint: ENV.fetch("ECHO"), ssl_verify_peer: false,
                                   http_idle_timeout: 60) # or processes share no connection
      run(lambda do |env|
        answer = QUEUE.get_queue_url(queue_name: env["QUERY_STRING"]).queue_url
        [200, {}, ["#{answer} #{Process.pid}"]]
      end)
    RUBY
    QUIET = "fork_safety_presets except: [:net_http]"

    test "each process has connections of its own" do
      with_queue { |env| assert_survives(APP, config: QUIET, env: env) }
    end

    test "without the preset, processes share connections" do
      with_queue do |env|
        assert_fails_without(:net_http, :aws_sdk_core, APP, env: env)
      end
    end

    private

    def with_queue
      respond = lambda do |request|
        %({"QueueUrl": "#{request.body[/"QueueName":"(\w+)"/, 1]} #{request.connection}"})
      end
      EchoServer.open(tls: true, respond: respond) { |echo| yield({ "ECHO" => echo.url }) }
    end
  end
end
