# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides, once the server stops, to refuse new connections, and how long to wait for those that are being made:
    # their clients believe that they are connected, and may have sent a request. The kernel gives them to nobody before
    # the handshake is over; with tcp_defer_accept not before the client has sent something, or a second has passed.
    class Refusal
      LONGEST_WAIT = 1.5 # seconds; after one the kernel repeats its part of a handshake
      PAUSE = 0.01 # seconds between two looks

      # Whether some of them are waited for.
      #: (Roster, Float) -> bool
      def self.waiting?(roster, now)
        stop = roster.stop
        !stop.refusing_since.nil? && stop.connecting.positive? && now < stop.refusing_since + LONGEST_WAIT
      end

      # Again as long as it waits: each look counts them anew.
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.stop.refusing_since.nil? || self.class.waiting?(roster, now)

        [Steps::RefuseNewConnections.new]
      end
    end
  end
end
