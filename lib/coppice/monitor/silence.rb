# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # Who gives no sign of life. A worker in a request has a deadline; one that stands still outside of any, stopped by a
    # signal or stuck in a handler of its crash, looks idle for ever, and the kernel may go on waking it for clients. So
    # each worker notes the time at least every few seconds, and this counts how long that stays the same.
    #
    # Only time in which the monitor itself was awake counts: after the whole tree was stopped, or the machine slept,
    # everybody's note is old.
    class Silence
      AWAY = 5.0 # seconds between two looks: the monitor has not been awake in between

      # limit: seconds that any worker may let go by without a word, whatever it does outside of a request.
      #: (Numeric) -> void
      def initialize(limit)
        @limit = limit
        @awake = 0.0
      end

      # Once each turn, before any question.
      #: (Roster, Float) -> void
      def listen(roster, now)
        gap = now - (@looked_at || now)
        @awake += gap if gap < AWAY
        @looked_at = now
        roster.ready_workers.each { |worker| note(worker) }
      end

      #: (Handle) -> bool
      def broken?(worker) = worker.heard_at && @awake - worker.heard_at > @limit

      private

      def note(worker)
        seen = worker.row.seen_ms
        return if seen == worker.last_seen_ms && worker.heard_at && worker.row.deadline_ms.zero?

        worker.last_seen_ms = seen
        worker.heard_at = @awake
      end
    end
  end
end
