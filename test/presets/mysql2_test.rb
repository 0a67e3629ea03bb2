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
