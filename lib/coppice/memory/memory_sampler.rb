# frozen_string_literal: true

require "coppice/memory/smaps"
require "coppice/os/clock"

module Coppice
  module Memory
    # Measures this process's own memory and CPU time, and writes them to its row of the board. Runs in workers and
    # molds, on the main thread: another process would walk this one's page tables while it works.
    #
    # A measurement takes some milliseconds when there is much memory. The pause until the next one is a thousand times
    # its CPU time, so a worker that is always busy spends a thousandth of its time on it.
    class MemorySampler
      PAUSE_FACTOR = 1000
      MINIMUM_PAUSE_MS = 1000
      RETRY_MS = 60_000 # after a passing error, such as a lack of file descriptors

      NEVER_AGAIN = [Errno::ENOENT, Errno::EACCES, Errno::EPERM].freeze # an old kernel, or a sandbox, has no such file

      # The monotonic time of the next measurement.
      attr_reader :due_ms #: Integer | Float

      # needed: whether a setting of the user depends on the measurements.
      #: (Board::Row, Log, ?needed: bool, ?rollup: singleton(Rollup)) -> void
      def initialize(row, log, needed: false, rollup: Rollup)
        @row = row
        @log = log
        @needed = needed
        @rollup = rollup
        @cpu_at_start_ms = process_cpu_ms # not 0: a cold mold has loaded the application by now
        @due_ms = 0
      end

      # The first measurement, just before the process becomes useful: the baseline of later ones.
      #: () -> void
      def set_baseline
        sample
        @row.private_at_start_kib = @row.private_kib
        @row.cpu_at_start_ms = @row.cpu_ms
      end

      #: () -> void
      def sample
        before = thread_cpu_ms
        write(@rollup.of)
        @due_ms = OS::Clock.now_ms + [((thread_cpu_ms - before) * PAUSE_FACTOR).ceil, MINIMUM_PAUSE_MS].max
      rescue SystemCallError => error
        @due_ms = NEVER_AGAIN.include?(error.class) ? Float::INFINITY : OS::Clock.now_ms + RETRY_MS
        @log.public_send(@needed ? :warn : :info, "memory is not measured", error: error.message)
      end

      private

      # measured_ms comes last: a reader that finds it set finds the other cells set as well.
      def write(rollup)
        @row.measured_requests = @row.requests
        @row.rss_kib = rollup.rss
        @row.pss_kib = rollup.pss
        @row.private_kib = rollup.private
        @row.anonymous_kib = rollup.anonymous
        @row.cpu_ms = process_cpu_ms - @cpu_at_start_ms
        @row.measured_ms = OS::Clock.now_ms
      end

      # Starts at zero in each forked process.
      def process_cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

      # CPU time, not elapsed time: on a busy machine the latter includes other processes' work.
      def thread_cpu_ms = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :float_millisecond)
    end
  end
end
