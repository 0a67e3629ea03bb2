# frozen_string_literal: true

require "json"
require_relative "support/preset_test_case"

module Coppice
  # Connections to a PostgreSQL: what the first worker says of them, and that idle workers give theirs back.
  class IdleConnectionsTest < PresetTestCase
    APP = <<~'RUBY'
      require "active_record"
      ActiveRecord::Base.establish_connection(adapter: "postgresql", pool: 3, host: ENV.fetch("HOST"),
        username: "test", database: "postgres", application_name: "shop")
      run(lambda do |env|
        count = ActiveRecord::Base.with_connection do |connection|
          connection.select_value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shop'")
        end
        [200, {}, ["#{count} #{Process.pid}"]]
      end)
    RUBY

    # Writes the fields of the line about the connections to a file.
    CONFIG = <<~'RUBY'
      worker_processes 2
      accept_order :fair
      refork_surge 1
      release_connections_after 0.1
      reporter = Class.new do
        %i[debug warn error fatal].each { |level| define_method(level) { |*| nil } }

        def info(text)
          return unless text.to_s.include?("database connections")

          File.write("budget.new", text.to_s)
          File.rename("budget.new", "budget")
        end
      end
      logger reporter.new
    RUBY

    test "idle workers give their connections back, and the next request opens one again" do
      with_service(:postgres) do |service|
        PresetServer.open(app: APP, config: CONFIG, env: environment.merge("HOST" => service.folder)) do |server|
          pids = []
          server.wait { (pids |= [server.get("/").body.split.last]).size == 2 } # a worker that is slow misses its turn
          eventually { connections(service).zero? }

          assert_equal 200, server.get("/").status
          server.wait { File.exist?(server.path("budget")) }
          # two workers, one of the surge, the mold and the one that is kept for a rollback
          assert_match(/processes\W+5\W.*pool\W+3\W.*at_most\W+15\W.*max_connections\W+50\b/,
            File.read(server.path("budget")))
        end
      end
    end

    private

    def connections(service)
      query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shop'"
      IO.popen(["psql", "-h", service.folder, "-U", "test", "-Atc", query, "postgres"], &:read).to_i
    end
  end
end
