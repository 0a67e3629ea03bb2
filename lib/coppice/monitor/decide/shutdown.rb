# frozen_string_literal: true

require "coppice/monitor/decide/refusal"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides how all children exit once the server was told to stop: gracefully until the deadline, then killed. The
    # lobby finishes its clients, while workers serve them, and workers the clients in their queues. Errands get HUP, as
    # when a terminal is closed. The observer answers health checks until all others are gone. No process is forked any
    # more.
    class Shutdown
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return kill_all(roster) if overdue?(roster, now)

        groups = Hash.new([]).update(roster.handles.group_by { |handle| handle.traits.shutdown })
        others = groups.keys == [:stop_last] ? groups[:stop_last] : groups[:stop]
        drains = told_to_drain(groups, roster, now).map { |handle| Steps::Drain.new(handle) }
        retirements = others.map { |handle| Steps::Retire.new(handle) }
        hang_ups = groups[:hang_up].map { |handle| Steps::HangUp.new(handle, :shutdown, roster.stop.deadline - now) }
        (drains + retirements + hang_ups).reject { |step| step.handle.leaving? }
      end

      private

      # Nobody as long as more clients come.
      def told_to_drain(groups, roster, now)
        return [] if Refusal.waiting?(roster, now)

        groups[waits_for_lobby?(roster, now) ? :drain_first : :drain]
      end

      # Later than at this deadline workers could not serve the clients in their queues any more.
      def waits_for_lobby?(roster, now) = !roster.lobby.nil? && now < roster.stop.lobby_deadline

      def kill_all(roster)
        roster.handles.reject(&:kill_reason).map { |handle| Steps::Kill.new(handle, :shutdown) }
      end

      def overdue?(roster, now) = roster.stop.deadline && now >= roster.stop.deadline
    end
  end
end
