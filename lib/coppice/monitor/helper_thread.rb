# frozen_string_literal: true

module Coppice
  class Monitor
    # One thread behind a bounded queue for what might block: there is one for the user's hooks,
    # and one that writes the log. The monitor's loop only ever queues; when the
    # queue is full, work is dropped and counted. Allowed, since the monitor spawns
    # with exec and never forks. Owns its thread; ends with `finish`.
    class HelperThread
      LIMIT = 4096

      def initialize
        @queue = Thread::Queue.new
        @dropped = 0
        begin_work
      end

      # Queues one piece of work; false when there was no room for it.
      #: () { () -> void } -> bool
      def post(&work)
        if @queue.size >= LIMIT
          @dropped += 1
          return false
        end
        report_dropped
        begin_work unless @thread.alive? # the user's code may end any thread it runs on
        @queue << work
        true
      end

      # Does what is queued, for at most so many seconds.
      #: (Numeric) -> void
      def finish(seconds)
        begin_work unless @thread.alive?
        @queue.close
        @thread.join(seconds)
      end

      private

      def begin_work
        @thread = Thread.new { work }
        @thread.name = "coppice helper"
      end

      def report_dropped
        return if @dropped.zero?

        count = @dropped
        @dropped = 0
        @queue << -> { warn "coppice: #{count} log lines or hooks dropped: what they write to is too slow" }
      end

      def work
        while (work = @queue.pop)
          attempt(work)
        end
      end

      def attempt(work)
        work.call
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: it is the user's; nothing may end this thread
        warn "coppice: #{error.message} (#{error.class})", *error.backtrace&.first(5)
      end
    end
  end
end
