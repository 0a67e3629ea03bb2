# frozen_string_literal: true

require "coppice/monitor/kernel/missed_time"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Finds children without a heartbeat. A worker in a request has a deadline. One that stands still outside of a
    # request, stopped by a signal or stuck in the handler of its own crash, looks idle forever, and the kernel may go
    # on waking it for clients. A lobby's loop that stands still serves nobody. So each of them notes the time on the
    # board every few seconds, and this counts how long the note is old.
    #
    # Only time in which the monitor itself ran counts: after it missed some, every note is old.
    class Heartbeat
      PAUSE = 2.0 # seconds between two looks at the notes: nobody writes them more often

      Note = Struct.new(:pid, :seen_ms, :changed_at)

      # limit: seconds that any of them may take from one note to the next, whatever it does outside of a request.
      #: (Numeric) -> void
      def initialize(limit)
        @limit = limit
        @looks = OS::Throttle.new(PAUSE)
        @missed_time = MissedTime.new
        @ran = 0.0 # seconds in which the monitor ran
        @notes = {} # Handle => Note
        @missing = []
      end

      # Reads the notes of these, unless it has done so a moment ago. Called once a turn, before any question.
      #: (Array[Handle], Float) -> void
      def observe(handles, now)
        return unless @looks.claim(now)

        passed = now - (@looked_at || now)
        @ran += passed - @missed_time.since_last_look(now)
        @looked_at = now
        @notes = handles.to_h { |handle| [handle, note_of(handle)] }
        @missing = @notes.filter_map { |handle, note| handle if @ran - note.changed_at > @limit }
      end

      # Those without a heartbeat.
      #: () -> Array[Handle]
      attr_reader :missing

      # Counts anew for this one.
      #: (Handle) -> void
      def forget(handle)
        @notes.delete(handle)
        @missing -= [handle]
      end

      private

      def note_of(handle)
        note = @notes[handle]
        seen_ms = handle.row.seen_ms
        same = note && note.pid == handle.pid && note.seen_ms == seen_ms
        return note if same && handle.row.deadline_ms.zero?

        Note.new(handle.pid, seen_ms, @ran)
      end
    end
  end
end
