# frozen_string_literal: true

module Coppice
  class Monitor
    module ReforkCondition
      # What the ready workers and the mold have put on the board about themselves, added up. Memory in KiB.
      #
      #   requests     served by this generation's workers
      #   waste        private memory that they have grown by since their fork
      #   total        what they all take: the mold's memory, which they share, and what is private to each
      #   left         what the server may still take
      #   refork_ms    CPU time that bringing up this generation has cost: the mold's warm-up, the workers' start
      #   request_ms   CPU time of a request; nil as long as nobody knows
      #   cold         whether the mold has booted the application: nothing is known then about what its successor saves
      GenerationUsage = Struct.new(:generation, :cold, :workers, :requests, :waste, :total, :left, :refork_ms, :request_ms,
        keyword_init: true) do
        # nil until each worker has measured itself.
        #: (Roster) -> GenerationUsage?
        def self.of(roster)
          workers = roster.ready_workers.map(&:row)
          return if workers.empty? || workers.any? { |row| row.measured_ms.zero? }

          mold = roster.mold.row
          requests = workers.sum(&:measured_requests)
          start_ms = workers.sum(&:cpu_at_start_ms)
          new(generation: roster.generation, cold: roster.mold.cold?, workers: workers.size, requests: requests,
              waste: [workers.sum { |row| row.private_kib - row.private_at_start_kib }, 0].max,
              total: mold.rss_kib + workers.sum(&:private_kib), left: roster.memory_left_kib,
              refork_ms: mold.cpu_ms + start_ms,
              request_ms: ((workers.sum(&:cpu_ms) - start_ms) / requests.to_f if requests.positive?)).freeze
        end
      end
    end
  end
end
