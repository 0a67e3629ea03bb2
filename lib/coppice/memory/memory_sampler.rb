# frozen_string_literal: true

require "coppice/memory/rollup"
require "coppice/os/clock"
require "coppice/os/proc_folder"

module Coppice
  module Memory
    # Measures the memory and CPU time of this process, and writes them to its row of the board. Runs in workers and
    # molds, on the main thread, between two requests. If the monitor measured instead, the kernel would walk the page
    # tables of this process while it serves.
    #
    # A measurement takes some milliseconds if there is much memory. The pause until the next one is a thousand times
    # the CPU time of the last one, so a busy worker spends at most a thousandth of its time on measurements.
    class MemorySampler
      PAUSE_FACTOR = 1000
      MINIMUM_PAUSE_MS = 1000
      RETRY_MS = 60_000 # after a temporary error, such as a lack of file descriptors

      NEVER_AGAIN = [Errno::ENOENT, Errno::EACCES, Errno::EPERM].freeze # an old kernel, or a sandbox, has no such file

      # When the next measurement is due, in milliseconds of the monotonic clock.
      attr_reader :due_ms #: Integer | Float

      # needed: whether a setting of the user depends on the measurements. first: whether it is the process that all
      # others of the server are forked from: it says for all of them that there is no such file.
      #: (Board::Row, Log, ?needed: bool, ?first: bool, ?rollup: singleton(Rollup)) -> void
      def initialize(row, log, needed: false, first: false, rollup: Rollup)
        @row = row
        @log = log
        @needed = needed
        @first = first
        @rollup = rollup
        @cpu_at_start_ms = process_cpu_ms # not 0: a cold mold has loaded the application by now
        @gc_at_start = [GC.count, GC.stat(:time)] # those of the parent
        @due_ms = 0
      end

      # Makes the first measurement, right before the process is ready: the baseline of later ones.
      #: () -> void
      def set_baseline
        sample
        @row.private_at_start_kib = @row.private_kib
        @row.anonymous_at_start_kib = @row.anonymous_kib
        @row.cpu_at_start_ms = @row.cpu_ms
      end

      #: () -> void
      def sample
        before = thread_cpu_ms
        write(@rollup.of)
        @due_ms = OS::Clock.now_ms + [((thread_cpu_ms - before) * PAUSE_FACTOR).ceil, MINIMUM_PAUSE_MS].max
      rescue SystemCallError => error
        never_again = NEVER_AGAIN.include?(error.class)
        @due_ms = never_again ? Float::INFINITY : OS::Clock.now_ms + RETRY_MS
        tell(error) if @first || !never_again
      end

      private

      def tell(error)
        return unless OS::ProcFolder.exist? # the start has told what is missing without

        @log.public_send(@needed ? :warn : :info, "memory is not measured", error: error.message)
      end

      # measured_ms comes last: a reader that finds it set finds the other cells set as well.
      def write(rollup)
        @row.measured_requests = @row.requests
        @row.rss_kib = rollup.rss
        @row.pss_kib = rollup.pss
        @row.private_kib = rollup.private
        @row.anonymous_kib = rollup.anonymous + rollup.swap
        @row.cpu_ms = process_cpu_ms - @cpu_at_start_ms
        @row.cpu_us = process_cpu_ms * 1000
        write_collections
        @row.measured_ms = OS::Clock.now_ms
      end

      # Ruby has their time in milliseconds.
      def write_collections
        runs, milliseconds = @gc_at_start
        @row.gc_runs = GC.count - runs
        @row.gc_us = (GC.stat(:time) - milliseconds) * 1000
      end

      # Starts at zero in each forked process.
      def process_cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

      # CPU time, not elapsed time: on a busy machine the latter includes other processes' work.
      def thread_cpu_ms = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :float_millisecond)
    end
  end
end
