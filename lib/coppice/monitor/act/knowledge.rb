# frozen_string_literal: true

require "coppice/gc_profile"
require "coppice/gc_profile/fit"
require "coppice/learned_paths"
require "coppice/state"

module Coppice
  class Monitor
    # What this server knows of its application: what earlier servers have left in the state directory, and what its
    # workers report. Writes the files on a thread of its own, one at a time, because a disk may be slow. Without a
    # directory that can be written to, the server knows what it has measured itself.
    class Knowledge
      PATHS_SIZE = 256 # paths
      FINISH_TIMEOUT = 2 # seconds for the last write
      # Clients' requests that allocate less than this part of the rehearsed ones are others, such as health checks.
      ALIKE = 0.5

      # origin: by whom it was measured, this server or one before.
      Fitted = Struct.new(:variables, :origin)

      attr_reader :fitted #: Fitted? -- parameters that fit what was measured

      # A measurement is of no use beside a profile that is committed with the application.
      #: (Config::Settings, String) -> bool
      def self.measures?(settings, directory)
        settings.keeps_measurement? && !File.exist?(File.join(directory, GCProfile::FILE))
      end

      # state: nil to keep nothing. price: the setting memory_price.
      #: (State?, log: Log, measures: bool, learns: bool, price: Numeric) -> void
      def initialize(state, log:, measures:, learns:, price:)
        @state = state
        @price = price
        @log = log
        @measures = measures
        @thread = nil
        known = @state&.measurement(&method(:not_used)) if measures
        @fitted = Fitted.new(GCProfile::Fit.new(known, price: price).variables, GCProfile::MEASURED_BEFORE) if known
        counts = (@state&.paths(&method(:not_used)) if learns) || {}
        @known = LearnedPaths.most_frequent(counts)
        halved = counts.transform_values { |count| count / 2 }.select { |_, count| count.positive? }
        @paths = LearnedPaths.new(size: PATHS_SIZE, counts: halved) # what counts is what clients request lately
        @paths_changed = false
      end

      # What is measured from now on is about another release. What is known still fits it better than nothing. If the
      # last write still goes on, a measurement that waits for its end is lost: it must not count for this release.
      #: (Release) -> void
      def adopt(release)
        write
        @unwritten_measurement = nil
        @state = State.of(release.settings, environment: release.environment, directory: release.directory,
          interpreter: release.interpreter)
        @measures = Knowledge.measures?(release.settings, release.directory)
        @largest = nil
      end

      # The paths that clients request most, the most frequent first; where there are few, then those that were known
      # when the server started.
      #: () -> Array[String]
      def learned = (LearnedPaths.most_frequent(@paths.counts) | @known).first(LearnedPaths::LIMIT)

      # Takes what a worker has measured, and keeps it unless another worker has measured more: they do not all serve
      # the same requests, and one may have had only health checks. Clients' requests that are like the rehearsed ones
      # replace those.
      #: (Handle) -> void
      def keep_measurement(worker)
        text = worker.row.allocations if @measures
        measured = GCProfile::Allocations.parse(text.to_s) or return
        return unless worker.rehearsing? || measured.bytes_per_request > least_bytes

        @largest = measured
        @rehearsed = worker.rehearsing?
        fit = GCProfile::Fit.new(measured, price: @price)
        @fitted = Fitted.new(fit.variables, GCProfile::MEASURED)
        @log.info("measured what requests allocate", measured: text,
                  requests_per_collection: fit.requests_per_collection)
        @unwritten_measurement = measured
        write
      rescue ArgumentError => error # the application shares memory with the row
        @log.error("a worker's measurement cannot be read", **worker.to_log, error: error.message)
      end

      # Takes what a worker has counted since the last time.
      #: (Hash[String, Integer]) -> void
      def add_paths(counts)
        counts.each { |path, count| @paths.add(path, count) }
        @paths_changed = true
      end

      # Writes what has changed, unless the last write still goes on, or the kernel has no thread left: then the next
      # call does.
      #: () -> void
      def write
        return if @state.nil? || @thread&.alive? || !(@unwritten_measurement || @paths_changed)

        measurement, paths = @unwritten_measurement, (@paths.counts.dup if @paths_changed)
        @thread = Thread.new(@state) { |state| write_files(state, measurement, paths) }
        @unwritten_measurement = nil
        @paths_changed = false
      rescue ThreadError => error
        @log.warn("cannot keep what was measured yet", error: error.message)
      end

      # Writes what is left when the server exits.
      #: () -> void
      def finish
        @thread&.join(FINISH_TIMEOUT)
        write
        @thread&.join(FINISH_TIMEOUT)
      end

      private

      def least_bytes
        bytes = @largest&.bytes_per_request || 0
        @rehearsed ? bytes * ALIKE : bytes
      end

      def not_used(file, reason)
        @log.info("a file of the state directory is not used", file: file, why: reason)
      end

      # On the thread. Its first failure is logged; the next ones most likely have the same reason.
      def write_files(state, measurement, paths)
        state.keep_measurement(measurement) if measurement
        state.keep_paths(paths) if paths
      rescue SystemCallError => error
        return if @failed

        @failed = true
        @log.warn("cannot keep what was measured for the next start: see state_directory", error: error.message)
      end
    end
  end
end
