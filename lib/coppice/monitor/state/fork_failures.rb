# frozen_string_literal: true

module Coppice
  class Monitor
    # Counts the workers that failed before any other worker of the committed mold was ready. A mold that took a lost
    # one's place, or that was kept, had no trial: it may be broken in a way that shows only in its children. It does
    # not answer for the failures before its commit, unless they are those of a mold that was no better: one that is
    # lost whenever it forks has a successor that is lost as well. A cold mold can be no better than it is.
    class ForkFailures
      attr_reader :count #: Integer -- in a row, of warm molds

      def initialize
        @count = 0
      end

      # since: workers that were forked earlier are not those of this mold (monotonic seconds).
      #: (Handle, ?since: Float) -> void
      def committed(mold, since: mold.ready_at)
        @mold = mold
        @since = since
        succeeded if mold.cold?
      end

      # ready: the workers that are ready.
      #: (Handle, Array[Handle]) -> void
      def failed(worker, ready)
        return if @mold.cold? || (worker.forked_at && worker.forked_at < @since) || forked_any?(ready)

        @count += 1
      end

      # Whether one of these workers was forked from the mold.
      #: (Array[Handle]) -> bool
      def forked_any?(workers) = workers.any? { |worker| worker.forked_at >= @since }

      # A worker is ready, or the mold that has failed is not used any more.
      #: () -> void
      def succeeded
        @count = 0
      end
    end
  end
end
