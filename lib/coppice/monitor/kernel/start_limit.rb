# frozen_string_literal: true

module Coppice
  class Monitor
    # How many workers may start at the same time. There is no limit until one is killed because its start took too
    # long: the others may have used the processors that it needed, and would do so again. So it starts with half as
    # many, down to one. When as many have become ready as may start at once, one more may; when all are ready that
    # there should be, there is no limit again. One that hangs while no other starts has not been slowed by others. If
    # only one may start and that is too slow, there is no limit either: it would keep the others from starting.
    class StartLimit
      attr_reader :workers #: Integer? -- nil: as many as there should be

      def initialize
        lift
      end

      # A worker was killed while it started. starting: how many workers were not ready at that moment, with this one.
      # One that was forked under an earlier limit does not count. Returns whether there is a new limit.
      #: (Handle, Integer, Float) -> bool
      def too_slow(worker, starting, now)
        return false if starting < 2 || worker.forked_at.nil? || worker.forked_at < @since

        @workers = @workers == 1 ? nil : [[starting, *@workers].min / 2, 1].max
        @since = now
        @ready = 0
        limited?
      end

      # A worker has become ready.
      #: () -> void
      def worker_ready
        return unless limited? && (@ready += 1) >= @workers

        @workers += 1
        @ready = 0
      end

      # starting: how many workers are not ready.
      #: (Integer) -> bool
      def reached?(starting) = limited? && starting >= @workers

      # All workers are ready, or a release that has been too slow is not the server's any more.
      #: () -> void
      def lift
        @workers = nil
        @since = -Float::INFINITY
        @ready = 0
      end

      private

      def limited? = !@workers.nil?
    end
  end
end
