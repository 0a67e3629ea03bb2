# frozen_string_literal: true

require "coppice/monitor/workers/rollout_budget"
require "coppice/monitor/steps"
require "coppice/monitor/workers/warm_start"

module Coppice
  class Monitor
    # Decides which slots need a worker, and which workers are surplus. While a worker is warmed up one serves beside
    # it, and the others are forked from the warm one, which costs less than to fork them cold and replace them: unless
    # clients wait for that.
    class Capacity
      # Forks that the mold may have before it when it is told to make another: it makes one after the other, and need
      # not wait for the monitor in between. After a failure it is told when it has none.
      FORKS_IN_FLIGHT = 1

      PATIENCE = 1.0 # seconds that a request may wait for a warm worker

      # requests_waiting: returns how many no worker has taken.
      #: (Config::Settings, requests_waiting: ^() -> Integer) -> void
      def initialize(settings, requests_waiting:)
        @budget = RolloutBudget.new(settings)
        @max_errors = settings.max_consecutive_spawn_errors
        @requests_waiting = requests_waiting
      end

      # When clients will have waited for too long (monotonic seconds); nil while none waits for a warm worker.
      #: () -> Float?
      def due_at = @waiting_since&.+(PATIENCE)

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        reason = give_up_reason(roster)
        return [Steps::GiveUp.new(reason)] if reason

        surplus(roster) + missing(roster, now)
      end

      private

      def give_up_reason(roster)
        if too_many?(roster.spawns)
          "#{roster.spawns.failures} children in a row exited before they were ready (max_consecutive_spawn_errors): " \
            "the lines above say why; check the hooks before_fork and after_worker_fork"
        elsif too_many?(roster.lobbies)
          "the lobby was lost #{roster.lobbies.failures} times in a row (max_consecutive_spawn_errors): " \
            "the lines above say why"
        end
      end

      def too_many?(tries) = @max_errors && tries.failures >= @max_errors

      # Retires surplus workers, once neither a rollout needs them nor a worker that is about to leave.
      def surplus(roster)
        return [] unless roster.filled? && roster.signalled_workers.empty?

        roster.surplus_workers.select(&:serving?).map { |worker| Steps::Retire.new(worker) }
      end

      def missing(roster, now)
        mold = roster.available_mold(in_flight: roster.spawns.failures.zero? ? FORKS_IN_FLIGHT : 0)
        return [] if mold.nil? || !roster.spawns.over?(now) || !roster.seats? || awaits_warm_mold?(roster, now)

        slot = roster.empty_slot(beyond: surge(roster))
        slot ? [Steps::SpawnWorker.new(mold, slot)] : []
      end

      def awaits_warm_mold?(roster, now)
        return @waiting_since = nil unless roster.rehearsing?
        return true if WarmStart.before_clients?(roster)
        return false if roster.workers.none? { |worker| !worker.rehearsing? && worker.generation == roster.generation }

        @waiting_since = @requests_waiting.call.zero? ? nil : @waiting_since || now
        @waiting_since.nil? || now < due_at
      end

      # Number of surplus workers: never more than there are workers to replace.
      def surge(roster)
        roster.candidate ? 0 : [@budget.surge(roster), roster.outdated_workers.size].min
      end
    end
  end
end
