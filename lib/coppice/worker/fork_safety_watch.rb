# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/info"

module Coppice
  class Worker
    # Finds out whether this worker may be forked: when it is to be promoted, and after each request that may have
    # changed that. What makes it unsafe comes with native threads as a rule, so presets are asked when the number of
    # its threads has changed. To count them takes some three microseconds.
    class ForkSafetyWatch
      THREADS = "/proc/self/task" # a folder with a link for each, and two more

      #: (Worker) -> void
      def initialize(worker)
        @membership = worker.membership
        @row = @membership.row
        @log = worker.log
        @presets = worker.inheritance.preset_calls
        @guards = @presets.guards
        @silent = @guards.select(&:silent)
        @threads = thread_count if @guards.any?
        @told = !Info.fork_safe?
      end

      # After a request. Tells the monitor if it has made this worker unsafe.
      #: () -> void
      def look
        return if @told
        return tell("no_longer_fork_safe!") unless Info.fork_safe?
        return unless @threads && @row.fork_safe?

        found = @presets.unsafe(@log, due)
        return if found.empty?

        note(@presets.term(found.keys))
        tell(found.keys.map(&:name).join(", "))
      end

      # Whether this worker must not be forked now, or ever.
      #: () -> bool
      def unsafe?
        note(refusal = @presets.refusal(@log))
        !refusal.nil? || !Info.fork_safe?
      end

      private

      # The presets to ask.
      def due
        before, @threads = @threads, thread_count
        before == @threads ? @silent : @guards
      end

      def note(term)
        Info.no_longer_fork_safe! if term == :forever
        rest if term == :for_now && Info.fork_safe?
      end

      # All are asked again after it.
      def rest
        @row.rest_from_promotions
        @threads = 0
      end

      def tell(why)
        @told = !Info.fork_safe?
        @membership.tell(Control::Messages::BecameUnsafe.new(request: @row.request, why: why))
      end

      def thread_count
        File.stat(THREADS).nlink
      rescue SystemCallError # a sandbox hides it
        0
      end
    end
  end
end
