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

      # What speaks against it, as fields of a log line; nil for nothing. Without memory_total_kib its memory is not looked at.
      #: (Handle, now: Float, memory_total_kib: Integer?) -> Hash[Symbol, untyped]?
      def grounds(worker, now:, memory_total_kib:)
        own = 1 - (SPREAD * ((worker.pid * GOLDEN) % 1))
        too_large(worker.row, memory_total_kib, own) || too_busy(worker, own) || too_old(worker, now, own)
      end

      private

      # What was measured before the first request is the fork's own, and the next fork's as well.
      def too_large(row, memory_total_kib, own)
        return if @memory_limit.nil? || memory_total_kib.nil? || row.measured_requests.zero?

        kind = @memory_limit.keys.first
        limit = Config::Types::MemoryLimit.kib(@memory_limit, memory_total_kib)
        kib = kind == :pss ? row.pss_kib : row.private_kib
        { why: :memory, kind: kind, mib: kib / 1024, limit_mib: limit / 1024 } if kib > limit * own
      end

      def too_busy(worker, own)
        return unless @max_requests && worker.requests_count >= @max_requests * own

        { why: :requests, requests: worker.requests_count, limit: @max_requests }
      end

      def too_old(worker, now, own)
        age = now - worker.ready_at
        { why: :age, age: age.round, limit: @max_age } if @max_age && age >= @max_age * own
      end
    end
  end
end
