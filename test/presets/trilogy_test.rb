# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class TrilogyPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "trilogy"
      def client = $client = ($client unless $client&.closed?) || Trilogy.new(socket: ENV.fetch("DATABASE"), username: "root")
      client if ENV["AT_BOOT"]
      run(lambda do |env|
        row = client.query("SELECT '#{env["QUERY_STRING"]}', CONNECTION_ID(), SLEEP(0.001)").rows.first
        [200, {}, [row.first(2).push(Process.pid).join(" ")]]
      end)
    RUBY

    test "a client that the first request has connected" do
      with_database { |env| assert_survives(APP, env: env) }
    end

    test "a client that was connected at boot" do
      with_database { |env| assert_survives(APP, env: env.merge("AT_BOOT" => "1")) }
    end

    test "without the preset, processes share one session" do
      with_database { |env| assert_fails_without(:trilogy, APP, env: env) }
    end

    private

    def with_database
      with_service(:mariadb) { |service| yield({ "DATABASE" => service.path("socket") }) }
    end
  end
end
