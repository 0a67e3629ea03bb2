# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class Mysql2PresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "mysql2"
      OPTIONS = { socket: ENV.fetch("DATABASE"), username: "root", reconnect: ENV.key?("RECONNECT") }
      def client = $client ||= Mysql2::Client.new(OPTIONS)
      run(lambda do |env|
        row = client.query("SELECT '#{env["QUERY_STRING"]}' AS token, CONNECTION_ID() AS id, SLEEP(0.001)").first
        [200, {}, [[row["token"], row["id"], Process.pid].join(" ")]]
      end)
    RUBY
    RENEW = "\nafter_worker_fork { $client = Mysql2::Client.new(::OPTIONS) }"

    test "a client with reconnect" do
      with_database { |env| assert_survives(APP, env: env.merge("RECONNECT" => "1")) }
    end

    test "a client that after_worker_fork creates anew" do
      with_database { |env| assert_survives(APP, env: env, config: RENEW) }
    end

    test "a copy raises an error, and its parent's session goes on" do
      with_database do |env|
        failures = failures_of(APP, env: env, config: IMPATIENT)

        assert_match(/ 500 /, failures.first)
      end
    end

    # It answers the token only where the session's variable is set.
    TENANT = <<~'RUBY'
      require "mysql2"
      SET = "SET @tenant = 'one'"
      $client = Mysql2::Client.new(socket: ENV.fetch("DATABASE"), username: "root", reconnect: true,
                                   init_command: ENV["INIT_COMMAND"])
      $client.query(SET)
      run(lambda do |env|
        row = $client.query("SELECT IF(@tenant = 'one', '#{env["QUERY_STRING"]}', 'none') AS token, " \
                            "CONNECTION_ID() AS id").first
        [200, {}, [[row["token"], row["id"], Process.pid].join(" ")]]
      end)
    RUBY

    test "what belongs to the session is gone in each worker" do
      with_database { |env| assert_match(/got "none /, failures_of(TENANT, env: env).first) }
    end

    test "what belongs to the session is there where it is an init_command, or after_worker_fork sets it" do
      with_database do |env|
        init = { "INIT_COMMAND" => "SET @tenant = 'one'" }
        assert_survives(TENANT, env: env.merge(init), last_generation: 1)
        assert_survives(TENANT, env: env, config: "after_worker_fork { $client.query(::SET) }", last_generation: 1)
      end
    end

    test "a library that was loaded without RubyGems" do
      app = "require 'mysql2'\nGem.loaded_specs.delete('mysql2')\n#{APP}"

      with_database { |env| assert_survives(app, env: env.merge("RECONNECT" => "1"), last_generation: 1) }
    end

    test "without the preset, processes share one session" do
      with_database { |env| assert_fails_without(:mysql2, APP, env: env.merge("RECONNECT" => "1")) }
    end

    test "a worker that exits takes leave of the database" do
      with_database do |env|
        assert_survives(APP, env: env.merge("RECONNECT" => "1"), last_generation: 1)

        assert_equal 0, aborted_clients(env.fetch("DATABASE"))
      end
    end

    private

    def aborted_clients(socket)
      status = IO.popen(["mariadb-admin", "-uroot", "-S", socket, "extended-status"], &:read)
      Integer(status[/ Aborted_clients +\| (\d+)/, 1])
    end

    def with_database
      with_service(:mariadb) { |service| yield({ "DATABASE" => service.path("socket") }) }
    end
  end
end
