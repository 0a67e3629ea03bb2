# frozen_string_literal: true

module Coppice
  class Monitor
    module ReforkCondition
      # What the ready workers and the mold have measured of themselves, added up. Memory in KiB.
      #
      #   requests     served by this generation's workers
      #   waste        growth of their private memory since their fork
      #   rebuilt      what a worker had made before it was ready, on average: the next mold would hold it in addition,
      #                and its workers make it again
      #   total        memory of all: the mold's, which they share, and what is private to each
      #   left         memory that the server may still take
      #   refork_ms    CPU time that this generation cost: the start of the mold and of the workers
      #   request_ms   CPU time of a request; nil as long as it is unknown
      #   cold         whether the mold has booted the application: then nothing is known of what a refork saves
      GenerationUsage = Struct.new(
        :generation, :cold, :workers, :requests, :waste, :rebuilt, :total, :left, :refork_ms, :request_ms,
        keyword_init: true
      ) do
        # nil until every worker has measured itself.
        #: (Roster) -> GenerationUsage?
        def self.of(roster)
          handles = roster.ready_workers
          workers = handles.map(&:row)
          return if roster.mold_usage.nil? || workers.empty? || workers.any? { |row| row.measured_ms.zero? }

          mold = roster.mold_usage
          requests = workers.sum(&:measured_requests)
          start_ms = workers.sum(&:cpu_at_start_ms)
          new(generation: roster.generation, cold: mold.cold, workers: workers.size, requests: requests,
              waste: [workers.sum { |row| row.private_kib - row.private_at_start_kib }, 0].max,
              rebuilt: handles.sum { |worker| rebuilt(worker, mold) } / handles.size,
              total: mold.rss_kib + workers.sum(&:private_kib), left: roster.headroom.left,
              refork_ms: mold.cpu_ms + start_ms,
              request_ms: request_ms(workers.sum(&:cpu_ms) - start_ms, requests)).freeze
        end

        # Memory that only replaces the mold's does not count. A worker that is older than a mold which has replaced a
        # lost one is not its copy: the two cannot be compared.
        def self.rebuilt(worker, mold)
          return 0 if mold.anonymous_kib.zero? || worker.forked_at < mold.forked_at # zero: it is not measured

          [worker.row.anonymous_at_start_kib - mold.anonymous_kib, 0].max
        end

        # A worker that has served only a few short requests may have used less than the millisecond that is counted.
        def self.request_ms(served_ms, requests)
          served_ms / requests.to_f if requests.positive? && served_ms.positive?
        end
        private_class_method :rebuilt, :request_ms
      end
    end
  end
end
