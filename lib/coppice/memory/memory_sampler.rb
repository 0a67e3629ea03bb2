# frozen_string_literal: true

require "coppice/memory/smaps"
require "coppice/os/clock"

module Coppice
  module Memory
    # A process's look at its own memory and CPU time, put down on its row of the board. Runs in workers and molds, on
    # the main thread: who measures another process walks its page tables while it may want to work.
    #
    # A measurement takes some milliseconds where there is much memory. So each is followed by a thousand times its own
    # CPU time without one, and costs a worker that is always busy a thousandth of its time.
    class MemorySampler
      REST = 1000
      SHORTEST_REST_MS = 1000
      LATER_MS = 60_000 # where there is no room for one more descriptor, say

      NEVER_AGAIN = [Errno::ENOENT, Errno::EACCES, Errno::EPERM].freeze # an old kernel, or a sandbox, has no such file

      # Monotonic: no measurement is due before it.
      attr_reader :due_ms #: Integer | Float

      # needed: whether something the user wants will not happen without.
      #: (Board::Row, Log, ?needed: bool, ?rollup: singleton(Rollup)) -> void
      def initialize(row, log, needed: false, rollup: Rollup)
        @row = row
        @log = log
        @needed = needed
        @rollup = rollup
        @born_at_cpu_ms = process_cpu_ms # a cold mold has loaded an application by now
        @due_ms = 0
      end

      # The first measurement of a life, just before the process is of use: what later ones are compared with.
      #: () -> void
      def set_baseline
        sample
        @row.private_at_start_kib = @row.private_kib
        @row.cpu_at_start_ms = @row.cpu_ms
      end

      #: () -> void
      def sample
        before = thread_cpu_ms
        put_down(@rollup.of)
        @due_ms = OS::Clock.now_ms + [((thread_cpu_ms - before) * REST).ceil, SHORTEST_REST_MS].max
      rescue SystemCallError => error
        @due_ms = NEVER_AGAIN.include?(error.class) ? Float::INFINITY : OS::Clock.now_ms + LATER_MS
        @log.public_send(@needed ? :warn : :info, "memory is not measured", error: error.message)
      end

      private

      # The instant last: who finds it set finds the rest.
      def put_down(rollup)
        @row.measured_requests = @row.requests
        @row.rss_kib = rollup.rss
        @row.pss_kib = rollup.pss
        @row.private_kib = rollup.private
        @row.anonymous_kib = rollup.anonymous
        @row.cpu_ms = process_cpu_ms - @born_at_cpu_ms
        @row.measured_ms = OS::Clock.now_ms
      end

      # Begins anew with each fork.
      def process_cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :millisecond)

      # Not the wall clock: on a busy machine that would count others' work.
      def thread_cpu_ms = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :float_millisecond)
    end
  end
end
