# frozen_string_literal: true

require "coppice/monitor/kernel/backoff"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # The system has no descriptor, process or memory to give. Says once of each kind of process that it could not be
    # started, until one of a kind that failed is started, and delays whatever starts one: with each further failure for
    # longer.
    class Shortage
      # What the steps start.
      STARTS = { Steps::ColdBoot => :mold, Steps::Promote => :mold, Steps::Rehearse => :worker,
                 Steps::SpawnWorker => :worker, Steps::SpawnService => :service }.freeze

      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @roster = context.roster
        @log = context.log
        @backoff = Backoff.new
        @reported = []
      end

      # An errand is not tried again, so it delays nothing.
      #: (Step, SystemCallError, Float) -> void
      def failed(step, error, now)
        return report(step.errand.role, error) if step.is_a?(Steps::SpawnErrand)

        delay(now)
        failure = [STARTS[step.class], error.message]
        report(failure.first, error) unless @reported.include?(failure)
        @reported |= [failure]
      end

      #: (Step) -> void
      def succeeded(step)
        return if @reported.none? { |role, _| role == STARTS[step.class] }

        @reported = []
        @backoff.succeeded
      end

      private

      def delay(now)
        @backoff.failed(now)
        [@roster.spawns, @roster.replacements, @roster.reforks].each { |tries| tries.wait_until(@backoff.not_before) }
      end

      def report(role, error)
        limit = { descriptors: @system.descriptor_limit, remedy: "raise the hard limit (ulimit -Hn)" }
        @log.error(role ? "could not start a #{role}" : "system call failed", error: error.message,
          workers: @roster.ready_workers.size, wanted: @roster.target, **(error.is_a?(Errno::EMFILE) ? limit : {}))
      end
    end
  end
end
