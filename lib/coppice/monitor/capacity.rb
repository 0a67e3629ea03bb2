# frozen_string_literal: true

require "coppice/monitor/rollout_budget"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides which slots need a worker, and which workers are surplus.
    class Capacity
      #: (Config::Settings) -> void
      def initialize(settings)
        @budget = RolloutBudget.new(settings)
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
        "#{roster.spawns.failures} children in a row exited before they were ready (max_consecutive_spawn_errors): " \
          "the lines above say why; look at before_fork and after_worker_fork"
      end

      def too_many_errors?(roster) = @max_errors && roster.spawns.failures >= @max_errors

      # Surplus workers of a rollout stay until the workers that they replace have exited.
      def surplus(roster)
        return [] unless roster.filled?

        beyond = roster.ready_workers.select { |worker| worker.nr >= roster.target && !worker.rehearsing? }
        beyond.map { |worker| Steps::Retire.new(worker) }
      end

      # One at a time: the mold forks one after the other anyway, and so each fork's deadline covers that fork alone.
      def missing(roster, now)
        mold = roster.mold
        return [] if mold.nil? || !mold.ready? || !roster.spawns.over?(now)
        return [] if roster.rehearsing? && !roster.serving? # a warm mold forks the first workers soon
        return [] if roster.handles.any? { |handle| handle.requested? && handle.parent.equal?(mold) }

        slots = roster.empty_slots(beyond: surge(roster)).map { |nr| Steps::Spawn.new(mold, :worker, nr, false) }
        slots << Steps::Spawn.new(mold, :service, nil, false) if service_missing?(roster, now)
        slots
      end

      def service_missing?(roster, now) = @service && roster.service.nil? && roster.services.over?(now)

      # As many surplus workers as there are workers to replace: the first of those exits when one of these is ready.
      def surge(roster)
        roster.candidate ? 0 : [@budget.surge(roster), roster.outdated_workers.size].min
      end
    end
  end
end
