# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides about children that got TERM or QUIT. Some process managers send it to every process of a server, one
    # after the other in any order: systemd with its default KillMode, Heroku, `docker stop` with some init programs.
    # Then the monitor gets it as well, and the whole server stops gracefully: Shutdown decides instead of this class.
    # If the monitor does not get the signal within a second, the child got it alone, and only this child is retired.
    class Retirement
      SHARED_SIGNAL_TIME = 1.0 # seconds from a child's signal to the monitor's

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        alone = roster.children[:signalled].to_a.select { |handle| signalled_alone?(handle, now) }
        alone.map { |handle| Steps::Retire.new(handle, handle.stop_signal) }
      end

      private

      def signalled_alone?(handle, now) = now - handle.signalled_at >= SHARED_SIGNAL_TIME
    end
  end
end
