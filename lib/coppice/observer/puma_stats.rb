# frozen_string_literal: true

require "time"

module Coppice
  class Observer
    # The stats in the shape of Puma's control server in cluster mode, for programs that read that. A worker is a Puma
    # worker with one thread, a slot its index, a generation its phase.
    class PumaStats
      #: (Hash[Symbol, untyped]) -> void
      def initialize(stats)
        @stats = stats
        @server = stats.fetch(:server)
        @now = Time.at(stats.fetch(:time)).utc
        @workers = stats.fetch(:processes).select { |process| process[:role] == "worker" && process[:slot] }
      end

      #: () -> Hash[Symbol, untyped]
      def to_h
        { started_at: time(@server[:uptime]), workers: @server[:workers], phase: @server[:generation],
          booted_workers: @server[:workers_ready],
          old_workers: @workers.count { |worker| worker[:generation] < @server[:generation] },
          worker_status: @workers.map { |worker| status(worker) } }
      end

      private

      def booted = @booted ||= @workers.reject { |worker| worker[:state] == "starting" }

      def status(worker)
        place = booted.index(worker)
        { started_at: time(worker[:age]), pid: worker[:pid], index: worker[:slot], phase: worker[:generation],
          booted: !place.nil?, last_checkin: time(0), last_status: place ? last_status(worker, place) : {} }
      end

      # All workers of the server share its queues: each gets a part, so that the sum over the workers is right.
      def last_status(worker, place)
        busy = worker[:in_flight] ? 1 : 0
        { backlog: share_of(@server[:requests_waiting].to_i, place), running: 1, pool_capacity: 1 - busy,
          busy_threads: busy, max_threads: 1, requests_count: requests_of(worker[:slot]) }
      end

      def share_of(number, place)
        share, rest = number.divmod(booted.size)
        share + (place < rest ? 1 : 0)
      end

      # Of the slot, which never goes back when a worker is replaced.
      def requests_of(number)
        slot = @stats.fetch(:slots)[number]
        slot ? slot[:requests] : 0
      end

      def time(age) = (@now - age.to_f).iso8601
    end
  end
end
