# frozen_string_literal: true

require "coppice/memory/process_limits"

module Coppice
  class Monitor
    # Tells whether a worker is over one of the user's limits: memory, requests, age.
    class WorkerLimits
      #: (Config::Settings) -> void
      def initialize(settings)
        @limits = Memory::ProcessLimits.new(memory: settings.worker_memory_limit, age: settings.worker_max_age)
        @max_requests = settings.worker_max_requests
      end

      # Whether the user set any limit.
      #: () -> bool
      def any? = @limits.any? || !@max_requests.nil?

      # As of ProcessLimits. A worker that served nobody does not count: a fresh fork would be as large.
      #: (Handle, Integer?) -> Hash[Symbol, untyped]?
      def memory_excess(worker, memory_total_kib)
        row = worker.row
        return if row.measured_requests.zero?

        @limits.memory_excess(worker.pid, memory_total_kib, { pss: row.pss_kib, private: row.private_kib })
      end

      # The same for its requests and its age.
      #: (Handle, Float) -> Hash[Symbol, untyped]?
      def request_or_age_excess(worker, now)
        request_excess(worker) || @limits.age_excess(worker.pid, now - worker.ready_at)
      end

      private

      def request_excess(worker)
        return unless @max_requests && worker.requests_count >= @max_requests * @limits.part(worker.pid)

        { why: :requests, requests: worker.requests_count, limit: @max_requests }
      end
    end
  end
end
