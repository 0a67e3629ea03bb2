# frozen_string_literal: true

require "coppice/monitor/backoff"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # The system has no descriptor, process or memory to give. Says so once, until the step that has failed succeeds,
    # and delays whatever starts a process: with each further failure for longer.
    class Shortage
      # What the steps start that do not name it.
      STARTS = { Steps::ColdBoot => :mold, Steps::Promote => :mold, Steps::Rehearse => :worker,
                 Steps::SpawnService => :service, Steps::SpawnGuest => :guest, Steps::SpawnLobby => :lobby }.freeze

      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @roster = context.roster
        @log = context.log
        @backoff = Backoff.new
      end

      #: (Step, SystemCallError, Float) -> void
      def stopped(step, error, now)
        @backoff.failed(now)
        [@roster.spawns, @roster.replacements, @roster.reforks].each do |pause|
          pause.wait_until([pause.not_before, @backoff.not_before].max)
        end
        failure = [step.class, error.message]
        report(step, error) unless failure == @failure
        @failure = failure
      end

      #: (Step) -> void
      def passed(step)
        return unless @failure&.first == step.class

        @failure = nil
        @backoff.succeeded
      end

      private

      def report(step, error)
        role = step.is_a?(Steps::Spawn) ? step.role : STARTS[step.class]
        limit = { descriptors: @system.descriptor_limit, remedy: "raise the hard limit (ulimit -Hn)" }
        @log.error(role ? "could not start a #{role}" : "system call failed", error: error.message,
          workers: @roster.ready_workers.size, wanted: @roster.target, **(error.is_a?(Errno::EMFILE) ? limit : {}))
      end
    end
  end
end
