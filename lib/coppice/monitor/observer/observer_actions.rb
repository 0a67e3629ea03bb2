# frozen_string_literal: true

require "coppice/monitor/kernel/introduction"

module Coppice
  class Monitor
    # The part of Actions that is about the observer.
    class ObserverActions
      #: (Context, forks: ForkRequests) -> void
      def initialize(context, forks:)
        @system = context.system
        @roster = context.roster
        @log = context.log
        @forks = forks
        @spawner = context.observers
      end

      # Nothing else waits for it. It cannot write to the board, so its row is written here.
      #: (Float) -> void
      def spawn(now)
        release = @roster.observer_release = @roster.release
        ours, theirs = @system.channel_pair
        pid = @spawner.spawn(theirs, release)
        handle = @forks.add(ChildKind.new(:observer, generation: 0), ours, now + release.settings.boot_timeout)
        handle.pid = handle.row.pid = pid
        handle.note_fork(now)
        Introduction.of(handle, pid, system: @system, log: @log) { @spawner.introduce(handle, release) }
      rescue SystemCallError => error
        @log.error("the observer cannot be spawned", error: error.message)
        @roster.observers.failed(now)
      ensure
        theirs&.close
        ours&.close unless handle
      end
    end
  end
end
