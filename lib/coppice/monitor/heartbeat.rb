# frozen_string_literal: true

module Coppice
  class Monitor
    # Finds workers without a heartbeat. A worker in a request has a deadline. One that stands still outside of a
    # request, stopped by a signal or stuck in the handler of its own crash, looks idle forever, and the kernel may go
    # on waking it for clients. So each worker notes the time on the board every few seconds, and this counts how long
    # the note is old.
    #
    # Only time in which the monitor itself ran counts: after the whole tree was stopped, or the machine slept, every
    # worker's note is old.
    class Heartbeat
      LONGEST_GAP = 5.0 # seconds between two looks; after a longer one the monitor itself did not run

      Note = Struct.new(:seen_ms, :changed_at)

      # limit: seconds that any worker may take from one note to the next, whatever it does outside of a request.
      #: (Numeric) -> void
      def initialize(limit)
        @limit = limit
        @ran = 0.0 # seconds in which the monitor ran
        @notes = {} # Handle => Note
      end

      # Reads every ready worker's note. Called once a turn, before any question.
      #: (Roster, Float) -> void
      def observe(roster, now)
        gap = now - (@looked_at || now)
        @ran += gap if gap < LONGEST_GAP
        @looked_at = now
        @notes = roster.ready_workers.to_h { |worker| [worker, note_of(worker)] }
      end

      #: (Handle) -> bool
      def missing?(worker)
        note = @notes[worker]
        !note.nil? && @ran - note.changed_at > @limit
      end

      private

      def note_of(worker)
        note = @notes[worker]
        seen_ms = worker.row.seen_ms
        return note if note && note.seen_ms == seen_ms && worker.row.deadline_ms.zero?

        Note.new(seen_ms, @ran)
      end
    end
  end
end
