# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/monitor/width"

# Runs in the monitor.

module Coppice
  class Monitor
    # Decides which slots are filled and which workers are too many.
    class Capacity
      #: (untyped) -> void
      def initialize(settings)
        @width = Width.new(settings)
        @max_errors = settings.max_consecutive_spawn_errors
        @service = !settings.hook(:before_service_worker_ready).nil?
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [Steps::GiveUp.new(reason(roster))] if too_many_errors?(roster)

        surplus(roster) + missing(roster, now).first(1)
      end

      private

      def reason(roster)
        "#{roster.failed_spawns} children in a row ended before they were ready (max_consecutive_spawn_errors): " \
          "the lines above say why; look at before_fork and after_worker_fork"
      end

      def too_many_errors?(roster) = @max_errors && roster.failed_spawns >= @max_errors

      # Those in surge stay until their elders have left, and one that is warmed up until it is promoted.
      def surplus(roster)
        return [] unless roster.filled?

        beyond = roster.ready_workers.select { |worker| worker.nr >= roster.target && !worker.equal?(roster.rehearsal) }
        beyond.map { |worker| Steps::Retire.new(worker) }
      end

      # One at a time: the mold forks one after the other anyway, and so a deadline
      # for each fork means what it says.
      def missing(roster, now)
        mold = roster.mold
        return [] if mold.nil? || !mold.ready? || now < roster.spawn_not_before
        return [] if roster.rehearsal && !roster.serving? # nobody is served cold who can be served warm soon
        return [] if roster.handles.any? { |handle| handle.requested? && handle.parent.equal?(mold) }

        slots = roster.empty_slots(beyond: surge(roster)).map { |nr| Steps::Spawn.new(mold, :worker, nr, false) }
        slots << Steps::Spawn.new(mold, :service, nil, false) if @service && roster.service.nil? && now >= roster.service_not_before
        slots
      end

      # As many as there are workers to replace: the first of them leaves when one of these is ready.
      def surge(roster)
        roster.candidate ? 0 : [@width.surge(roster), roster.outdated_workers.size].min
      end
    end
  end
end
