# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  # With the adapters whose connections the presets of pg, mysql2 and trilogy would find.
  class ActiverecordPresetTest < PresetTestCase
    APP = <<~'RUBY'
      require "active_record"
      ActiveRecord::Base.establish_connection(adapter: ENV.fetch("ADAPTER"), pool: 2, **eval(ENV.fetch("OPTIONS")))
      ActiveRecord::Base.connection.select_value("SELECT 1") if ENV["AT_BOOT"]
      run(lambda do |env|
        row = ActiveRecord::Base.with_connection do |connection|
          connection.select_rows("SELECT '#{env["QUERY_STRING"]}', #{ENV.fetch("ID")}").first
        end
        [200, {}, ["#{row.join(" ")} #{Process.pid}"]]
      end)
    RUBY
    [nil, "1"].each do |at_boot|
      place = at_boot ? "at boot" : "in a request"

      test "pg, connected #{place}" do
        with_service(:postgres) do |service|
          assert_adapter_survives("postgresql", "pg_backend_pid()", at_boot,
            host: service.folder, username: "test", database: "postgres")
        end
      end

      %w[mysql2 trilogy].each do |adapter|
        test "#{adapter}, connected #{place}" do
          with_service(:mariadb) do |service|
            assert_adapter_survives(adapter, "CONNECTION_ID()", at_boot,
              socket: service.path("socket"), username: "root", database: "mysql")
          end
        end
      end
    end

    # Answers whether the pools of one class that uses the database, and of one that does not, were connected before the
    # request.
    POOLS = <<~'RUBY'
      require "active_record"
      options = eval(ENV.fetch("OPTIONS"))
      Class.new(ActiveRecord::Base) { self.abstract_class = true }.then { |record| Object.const_set(:Unused, record) }
      [ActiveRecord::Base, Unused].each { |record| record.establish_connection(adapter: "postgresql", **options) }
      run(lambda do |env|
        found = [ActiveRecord::Base, Unused].map { |record| record.connection_pool.connected? }
        ActiveRecord::Base.with_connection { |one| one.select_value("SELECT 1") } if env["PATH_INFO"] == "/connect"
        [200, {}, ["#{found.join(" ")} #{ActiveRecord::Base.connection_pool.stat[:busy]}"]]
      end)
    RUBY

    test "a reforked worker is connected where the promoted one was, and has released the connection" do
      with_pools("before_fork { ActiveRecord::Base.connection_handler.clear_all_connections!(:all) }") do |server|
        assert_equal "true false 0", answer_after_refork(server, 1)
        assert_equal "true false 0", answer_after_refork(server, 2)
      end
    end

    test "a reforked worker serves without its database" do
      with_pools do |server, service|
        File.delete(service.path(".s.PGSQL.5432"))

        assert_equal "false false 0", answer_after_refork(server, 1)
      end
    end

    private

    # Yields a server with one worker, which is connected.
    def with_pools(config = "")
      with_service(:postgres) do |service|
        options = { host: service.folder, username: "test", database: "postgres" }
        PresetServer.open(app: POOLS, config: "worker_processes 1\nrefork_backoff 0\n#{config}",
          env: environment.merge("OPTIONS" => options.inspect)) do |server|
          assert_equal "false false 0", server.get("/connect").body
          yield server, service
        end
      end
    end

    def answer_after_refork(server, generation)
      server.signal(:USR2)
      server.wait(LONG, "generation #{generation}") { server.settled?(generation) }
      server.get("/").body
    end

    def assert_adapter_survives(adapter, id, at_boot, **options)
      env = { "ADAPTER" => adapter, "ID" => id, "AT_BOOT" => at_boot, "OPTIONS" => options.inspect }

      assert_survives(APP, env: env)
    end
  end
end
