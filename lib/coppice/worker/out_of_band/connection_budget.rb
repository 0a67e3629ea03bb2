# frozen_string_literal: true

require "coppice/worker/out_of_band/active_record_pools"
require "coppice/worker/out_of_band/task"
require "coppice/config/types/amounts"

module Coppice
  class Worker
    class OutOfBand
      # Says once how many connections the server may open to each database of Active Record, and how many the database
      # allows; nothing of SQLite, whose connections are open files. The first worker says it when it has served its
      # first requests: then the application is connected.
      class ConnectionBudget < Task
        FILES = /sqlite/i.freeze # adapters without a database server
        QUERIES = { /postg/i => "SHOW max_connections", /mysql|trilogy/i => "SELECT @@max_connections" }.freeze

        # Only for the first worker of the server.
        #: (Worker, Config::Settings) -> ConnectionBudget?
        def self.of(worker, settings)
          first = worker.nr.zero? && worker.generation == (settings.warm_up? ? 1 : 0)
          new(worker, settings) if first && defined?(::ActiveRecord::Base)
        end

        #: (Worker, Config::Settings) -> void
        def initialize(worker, settings)
          @worker = worker
          @settings = settings
        end

        def name = :connection_budget

        #: () -> bool
        def due? = !@said && @worker.requests_count.positive?

        #: () -> void
        def call
          @said = true
          ActiveRecordPools.all.each { |pool| report(pool) }
        end

        # Processes that may use connections at the same time: during a rollout, with all that may be there beside the
        # workers. What services fork in their turn is not known here.
        #: () -> Integer
        def processes
          workers = @worker.inheritance.board.workers_most
          surge = Config::Types::WorkerShare.of(@settings.refork_surge, workers)
          kept_mold = @settings.rollback_window.positive? ? 1 : 0
          workers + surge + @settings.services.size + @settings.guest_limit + 1 + kept_mold
        end

        private

        # A process with one thread uses one connection; with the application's own threads up to the whole pool.
        def report(pool)
          return if !pool.connected? || FILES.match?(pool.db_config.adapter.to_s)

          maximum = maximum_of(pool)
          fields = { database: pool.db_config.name, processes: processes, pool: pool.size,
                     at_most: processes * pool.size, max_connections: maximum }
          return @worker.log.info("database connections", **fields) unless maximum && processes > maximum

          @worker.log.warn("the processes may need more database connections than there are", **fields)
        end

        # nil where it cannot be asked.
        def maximum_of(pool)
          query = QUERIES.find { |adapter, _| adapter.match?(pool.db_config.adapter.to_s) }&.last or return
          pool.with_connection { |connection| Integer(connection.select_value(query)) }
        rescue StandardError => error # of the database, or its driver
          @worker.log.debug("max_connections is unknown", database: pool.db_config.name, error: error.message)
          nil
        end
      end
    end
  end
end
