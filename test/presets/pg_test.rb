# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class PgPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "pg"
      AT_BOOT = PG.connect(ENV["BOOT_DATABASE"]) if ENV["BOOT_DATABASE"]
      def connection = defined?(AT_BOOT) ? AT_BOOT : $connection ||= PG.connect(ENV.fetch("DATABASE"))
      run(lambda do |env|
        row = connection.exec_params("SELECT $1, pg_backend_pid(), pg_sleep(0.001)", [env["QUERY_STRING"]])
        [200, {}, [row.values.first.first(2).push(Process.pid).join(" ")]]
      end)
    RUBY

    test "a connection that the first request has opened" do
      with_database { |env| assert_survives(APP, env: env) }
    end

    test "a connection that was opened at boot" do
      with_database { |env| assert_survives(APP, env: env.merge("BOOT_DATABASE" => env["DATABASE"])) }
    end

    test "without the preset, processes share one session" do
      with_database { |env| assert_fails_without(:pg, APP, env: env) }
    end

    private

    def with_database
      with_service(:postgres) do |service|
        yield({ "DATABASE" => "postgres://test@/postgres?host=#{service.folder}" })
      end
    end
  end
end
