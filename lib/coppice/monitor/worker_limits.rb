# frozen_string_literal: true

require "coppice/config/types/amounts"

module Coppice
  class Monitor
    # Tells whether a worker is over one of the user's limits: memory, requests, age. Each worker's own limits are up to
    # a tenth lower, by its pid, so that workers which were forked together do not reach them together.
    class WorkerLimits
      SPREAD = 0.1
      GOLDEN_RATIO = 0.6180339887498949 # its multiples have evenly spread fractional parts, also for pids in a row

      #: (Config::Settings) -> void
      def initialize(settings)
        @memory_limit = settings.worker_memory_limit
        @max_requests = settings.worker_max_requests
        @max_age = settings.worker_max_age
      end

      # Whether the user set any limit.
      #: () -> bool
      def any? = !(@memory_limit || @max_requests || @max_age).nil?

      # The memory by which the worker is over its limit, as fields of a log line; nil when it is not. A worker that
      # served nobody does not count: a fresh fork would be as large. memory_total_kib: what a share refers to; nil when
      # unknown.
      #: (Handle, Integer?) -> Hash[Symbol, untyped]?
      def memory_excess(worker, memory_total_kib)
        row = worker.row
        return if @memory_limit.nil? || row.measured_requests.zero?

        limit = Config::Types::MemoryLimit.kib(@memory_limit, memory_total_kib) or return
        kind = @memory_limit.keys.first
        kib = kind == :pss ? row.pss_kib : row.private_kib
        { why: :memory, kind: kind, mib: kib / 1024, limit_mib: limit / 1024 } if kib > limit * factor(worker)
      end

      # The same for its requests and its age.
      #: (Handle, Float) -> Hash[Symbol, untyped]?
      def request_or_age_excess(worker, now) = request_excess(worker) || age_excess(worker, now)

      private

      def factor(worker) = 1 - (SPREAD * ((worker.pid * GOLDEN_RATIO) % 1))

      def request_excess(worker)
        return unless @max_requests && worker.requests_count >= @max_requests * factor(worker)

        { why: :requests, requests: worker.requests_count, limit: @max_requests }
      end

      def age_excess(worker, now)
        age = now - worker.ready_at
        { why: :age, age: age.round, limit: @max_age } if @max_age && age >= @max_age * factor(worker)
      end
    end
  end
end
