# frozen_string_literal: true

require "coppice/worker/out_of_band/active_record_pools"
require "coppice/worker/out_of_band/task"
require "coppice/os/clock"

module Coppice
  class Worker
    class OutOfBand
      # `release_connections_after`: closes the database connections of a worker that has had no request for so long,
      # also since its start: it may have connected before it was ready. They are opened again by the next request.
      # Connections that a thread uses stay open.
      class IdleConnections < Task
        #: (Worker, Config::Settings) -> IdleConnections?
        def self.of(worker, settings)
          seconds = settings.release_connections_after
          new(worker, seconds) if seconds
        end

        #: (Worker, Numeric) -> void
        def initialize(worker, seconds)
          @worker = worker
          @pause_ms = (seconds * 1000).ceil
          @served = nil # requests at the last release, or when the worker was seen first without a client
        end

        def name = :release_connections

        # Asked at each heartbeat of an idle worker, and each time that it becomes idle.
        #: () -> bool
        def due?
          note_requests
          @pending && OS::Clock.now_ms - @idle_since_ms >= @pause_ms
        end

        #: () -> void
        def call
          @pending = false
          ActiveRecordPools.all.each(&:flush!) if defined?(::ActiveRecord::Base)
          ::Sequel::DATABASES.each(&:disconnect) if defined?(::Sequel::DATABASES)
        end

        private

        def note_requests
          return if (served = @worker.requests_count) == @served

          @served = served
          @idle_since_ms = OS::Clock.now_ms
          @pending = true
        end
      end
    end
  end
end
