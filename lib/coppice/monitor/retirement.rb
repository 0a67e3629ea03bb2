# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides about children that got TERM or QUIT. Some process managers send it to every process of a server, one
    # after the other in any order: systemd with its default KillMode, Heroku, `docker stop` with some init programs.
    # Then the monitor has it as well, and the server stops as gracefully as if only the monitor had got it: this is not
    # asked any more. A child whose signal the monitor has not seen within a second got it alone, and is retired alone.
    class Retirement
      SHARED_SIGNAL_TIME = 1.0 # seconds from a child's signal to the monitor's

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        alone = roster.handles.select { |handle| signalled_alone?(handle, now) && !handle.leaving? }
        alone.map { |handle| Steps::Retire.new(handle, handle.stop_signal) }
      end

      private

      def signalled_alone?(handle, now) = handle.signalled_at && now - handle.signalled_at >= SHARED_SIGNAL_TIME
    end
  end
end
