# frozen_string_literal: true

module Coppice
  class CLI
    # Compares the file descriptors that the monitor needs for all of its workers with the most that it may have.
    class DescriptorLimit
      # Of the monitor, for each worker: its channel and its inspection socket; with the lobby also the ring, the
      # eventfd and the socket of its seat.
      DIRECT = 2
      WITH_LOBBY = 5
      SURPLUS = Rational(5, 4) # while workers are replaced there are more of them
      RESERVED = 64 # of the monitor itself

      # limit: the hard one (RLIMIT_NOFILE); the monitor raises the soft one.
      #: (Config::Settings, ?limit: Integer) -> void
      def initialize(settings, limit: Process.getrlimit(:NOFILE).last)
        @settings = settings
        @limit = limit
      end

      # nil when there are enough, or when the number of workers is not known yet.
      #: () -> String?
      def warning
        workers = @settings.worker_bounds&.max
        return unless workers&.positive?

        needed = RESERVED + (workers * SURPLUS * (@settings.lobby? ? WITH_LOBBY : DIRECT)).ceil
        return if needed <= @limit

        "the monitor needs #{needed} file descriptors for #{workers} workers, and may have #{@limit}: raise the hard " \
          "limit (ulimit -Hn)"
      end
    end
  end
end
