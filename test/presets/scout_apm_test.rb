# frozen_string_literal: true

require_relative "support/preset_test_case"
require_relative "support/echo_server"

module Coppice
  class ScoutApmPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "scout_apm"
      ScoutApm::Agent.instance.install
      use ScoutApm::Middleware
      run(lambda do |env|
        running = ScoutApm::Agent.instance.background_worker_running?
        [running ? 200 : 500, {}, ["#{env["QUERY_STRING"]} - #{Process.pid}"]]
      end)
    RUBY

    test "the agent runs in each process" do
      with_scout { |env| assert_survives(APP, env: env) }
    end

    test "without the preset it stops at the first refork" do
      with_scout { |env| assert_fails_without(:scout_apm, APP, with: /: 500 t/, env: env) }
    end

    private

    def with_scout
      EchoServer.open do |scout|
        yield({ "SCOUT_MONITOR" => "true", "SCOUT_KEY" => "key", "SCOUT_NAME" => "test", "SCOUT_HOST" => scout.url,
                "SCOUT_ERRORS_HOST" => scout.url, "SCOUT_LOG_FILE_PATH" => "STDOUT", "SCOUT_LOG_LEVEL" => "error" })
      end
    end
  end
end
