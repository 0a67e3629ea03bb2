# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides how all children exit once a stop was asked for: gracefully until the deadline, then at once. Workers
    # serve the clients in their queues first. No process is forked any more.
    class Shutdown
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return end_all(roster) if overdue?(roster, now)

        serving, others = roster.handles.reject(&:leaving?).partition(&:drains?)
        drains = serving.map { |handle| Steps::Drain.new(handle) }
        retirements = others.map { |handle| Steps::Retire.new(handle) }
        [Steps::RefuseNewConnections.new] + drains + retirements
      end

      private

      def end_all(roster)
        roster.handles.reject(&:ended_for).map { |handle| Steps::End.new(handle, :shutdown) }
      end

      def overdue?(roster, now) = roster.stop_deadline && now >= roster.stop_deadline
    end
  end
end
