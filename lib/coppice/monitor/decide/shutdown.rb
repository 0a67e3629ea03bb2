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

        staying = roster.handles.reject(&:leaving?)
        staying = staying.reject(&:last?) unless roster.handles.all?(&:last?)
        errands, staying = staying.partition(&:hangs_up?)
        lobbies, staying = staying.partition(&:drains_first?)
        serving, others = staying.partition(&:drains?)
        serving = told_to_drain(serving, lobbies, roster, now)
        hang_ups = errands.map { |handle| Steps::HangUp.new(handle, :shutdown, roster.stop.deadline - now) }
        drains = serving.map { |handle| Steps::Drain.new(handle) }
        retirements = others.map { |handle| Steps::Retire.new(handle) }
        drains + retirements + hang_ups
      end

      private

      # Nobody as long as more clients come.
      def told_to_drain(workers, lobbies, roster, now)
        return [] if Refusal.waiting?(roster, now)

        waits_for_lobby?(roster, now) ? lobbies : workers
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
