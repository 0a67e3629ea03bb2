# frozen_string_literal: true

module Coppice
  class Monitor
    class Canary
      # Notices that nobody asks: a release without clients is not judged better by waiting for them. Where hardly
      # anybody asks a pause says little, and each request that comes is worth its while; so the server's last hour
      # tells how long a pause is the end.
      class Traffic
        SHORTEST_PAUSE = 5.0 # seconds
        INTERVALS = 3 # between two requests, usually: one pause of 20 is as long by chance (e⁻³)
        HOUR = 3600.0 # seconds

        # last_hour: what the old release has counted. seconds: of the whole canary.
        #: (last_hour: Counts, seconds: Numeric) -> void
        def initialize(last_hour:, seconds:)
          interval = HOUR / last_hour.requests
          @longest_pause = interval > seconds ? SHORTEST_PAUSE : [SHORTEST_PAUSE, interval * INTERVALS].max
        end

        # begun: the requests that the server's workers have begun so far.
        #: (Float, Integer) -> bool
        def ended?(now, begun)
          @begun, @since = begun, now if begun != @begun
          now - @since >= @longest_pause
        end
      end
    end
  end
end
