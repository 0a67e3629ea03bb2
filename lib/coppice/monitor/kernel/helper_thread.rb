# frozen_string_literal: true

require "coppice/log/plain_line"
require "coppice/os/clock"

module Coppice
  class Monitor
    # A thread behind a bounded queue, for what may block: one runs the user's hooks, one writes the log. The monitor's
    # loop only adds to the queue; when the queue is full, work is dropped and counted. The monitor may have threads,
    # since it spawns with exec and never forks. Owns its thread, which `finish` ends.
    class HelperThread
      LIMIT = 4096

      # A log output that writes on the helper thread, so that a log which nobody reads (a full pipe, a slow disk)
      # cannot stop the monitor. An entry has its time already.
      LogOutput = Struct.new(:output, :helper) do
        #: (Log::Entry) -> void
        def emit(entry)
          helper.post { output.emit(entry) }
        end
      end

      def initialize
        @queue = Thread::Queue.new
        @dropped = 0
        start
      end

      # Queues one piece of work; false when the queue is full.
      #: () { () -> void } -> bool
      def post(&work)
        if @queue.size >= LIMIT
          @dropped += 1
          return false
        end
        report_dropped
        revive
        @queue << work
        true
      end

      # The log output on this thread.
      #: (Log::Output | Log::Adapter) -> LogOutput
      def log_output(output) = LogOutput.new(output, self)

      # Does what is queued, for at most this many seconds. The thread may be ended by a piece of work before the last.
      #: (Numeric) -> void
      def finish(seconds)
        limit = OS::Clock.now + seconds
        @queue.close
        loop do
          return unless revive
          return if @thread.join([limit - OS::Clock.now, 0].max).nil? || @queue.empty?
        end
      end

      private

      def start
        @thread = Thread.new { work }
        @thread.name = "coppice helper"
      end

      # The user's code may end any thread it runs on. Where the kernel has no thread left, what is queued waits for the
      # next piece of work. Returns whether there is one.
      def revive
        start unless @thread.alive?
        true
      rescue ThreadError
        false
      end

      def report_dropped
        return if @dropped.zero?

        count = @dropped
        @dropped = 0
        text = "dropped #{count} log lines or hooks: the log's reader or a hook is too slow"
        @queue << -> { warn Log::PlainLine.of(text, level: :warn) }
      end

      def work
        while (work = @queue.pop)
          attempt(work)
        end
      end

      def attempt(work)
        work.call
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: it is the user's, not the thread's
        warn Log::PlainLine.of(["#{error.message} (#{error.class})", *error.backtrace&.first(5)].join("\n"))
      end
    end
  end
end
