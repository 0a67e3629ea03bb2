# frozen_string_literal: true

require "coppice/config/types/memory_limit"

# Runs in the monitor.

module Coppice
  class Monitor
    # Tells whether a worker is over one of the user's limits. Each worker's own limits are up to a tenth below those, by
    # its pid: workers that were forked together shall not reach them together.
    class Wear
      SPREAD = 0.1
      GOLDEN = 0.6180339887498949 # multiples of it, less their whole part, spread evenly: also of pids in a row

      #: (untyped) -> void
      def initialize(settings)
        @memory_limit = settings.worker_memory_limit
        @max_requests = settings.worker_max_requests
        @max_age = settings.worker_max_age
      end

      # Whether there are limits at all.
      #: () -> bool
      def limited? = !(@memory_limit || @max_requests || @max_age).nil?

      # What speaks against its memory, as fields of a log line; nil for nothing. What was measured before its first request
      # is the fork's own, and the next fork's as well. memory_total_kib: what a share is one of; nil when nobody knows.
      #: (Handle, Integer?) -> Hash[Symbol, untyped]?
      def too_large(worker, memory_total_kib)
        row = worker.row
        return if @memory_limit.nil? || row.measured_requests.zero?

        limit = Config::Types::MemoryLimit.kib(@memory_limit, memory_total_kib) or return
        kind = @memory_limit.keys.first
        kib = kind == :pss ? row.pss_kib : row.private_kib
        { why: :memory, kind: kind, mib: kib / 1024, limit_mib: limit / 1024 } if kib > limit * own(worker)
      end

      # The same for its requests and its age.
      #: (Handle, Float) -> Hash[Symbol, untyped]?
      def spent(worker, now) = too_busy(worker) || too_old(worker, now)

      private

      def own(worker) = 1 - (SPREAD * ((worker.pid * GOLDEN) % 1))

      def too_busy(worker)
        return unless @max_requests && worker.requests_count >= @max_requests * own(worker)

        { why: :requests, requests: worker.requests_count, limit: @max_requests }
      end

      def too_old(worker, now)
        age = now - worker.ready_at
        { why: :age, age: age.round, limit: @max_age } if @max_age && age >= @max_age * own(worker)
      end
    end
  end
end
