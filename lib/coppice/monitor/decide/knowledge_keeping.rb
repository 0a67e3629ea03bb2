# frozen_string_literal: true

require "coppice/gc_profile"
require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides when to keep what the server has found out for its next start. If a worker is rehearsed, the pages that
    # the user has named are measured; then the requests of clients are, in the lead workers of a few generations,
    # because warm code takes less CPU time.
    class KnowledgeKeeping
      MEASURED_WORKERS = 8 # maximum
      LOOK_PAUSE = 1.0 # seconds between two looks at what the workers have served
      PATHS_PAUSE = 60.0 # seconds between two writes

      #: (Config::Settings) -> void
      def initialize(settings)
        @measures = settings.keeps_measurement?
        @learns = settings.learns_paths?
        @measured = [] # pids
        @looks = OS::Throttle.new(LOOK_PAUSE)
        @writes = OS::Throttle.new(PATHS_PAUSE)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        worker = measured_worker(roster, now) if @measures && @measured.size < MEASURED_WORKERS
        @measured << worker.pid if worker
        paths = Steps::KeepPaths.new if @learns && @writes.claim(now)
        [(Steps::KeepMeasurement.new(worker) if worker), paths].compact
      end

      private

      def measured_worker(roster, now)
        rehearsed = new_measurement(roster, [roster.rehearsal].compact.select(&:ready?))
        return rehearsed if rehearsed
        return if roster.rehearsing? || !@looks.claim(now)

        complete = GCProfile::MEASURED_REQUESTS
        new_measurement(roster, roster.ready_workers.select { |worker| worker.requests_count >= complete })
      end

      # Workers of another release may serve beside those of the committed one: what they allocate is kept for that one.
      def new_measurement(roster, workers)
        workers.find do |worker|
          roster.of_release?(worker) && !@measured.include?(worker.pid) && !worker.row.allocations.empty?
        end
      end
    end
  end
end
