# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides which processes measure their memory once more, because another number of processes shares it now: the
    # mold, a kept one, each worker and each service that has not measured itself since. It asks a few at a time: the
    # kernel walks the page tables of each. What may run another program has no channel on which it could be asked.
    class Remeasurement
      AT_ONCE = 4
      PAUSE = 0.1 # seconds

      def initialize
        @waiting = []
        @asked = {} # Handle => the time of its last measurement then
        @pauses = OS::Throttle.new(PAUSE)
      end

      # When the next few are due (monotonic seconds); nil if none are.
      #: () -> Float?
      def due_at = (@pauses.next_at unless @waiting.empty?)

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        begin_round(roster) unless @since == roster.sharing_since
        return [] if @waiting.empty? || !@pauses.claim(now)

        outdated = @waiting.shift(AT_ONCE).select { |handle| outdated?(roster, handle) && !asked?(handle) }
        outdated.map do |handle|
          @asked[handle] = handle.row.measured_ms
          Steps::Measure.new(handle)
        end
      end

      private

      def begin_round(roster)
        @since = roster.sharing_since
        everybody = [*roster.mold, *roster.kept, *roster.workers, *roster.services]
        @waiting = @since ? everybody : []
        @asked = @asked.slice(*everybody)
      end

      # One with a long request has not read its channel, which must have room for other messages.
      def asked?(handle) = @asked[handle] == handle.row.measured_ms

      # One that has never measured itself cannot.
      def outdated?(roster, handle)
        handle.ready? && handle.row.measured_ms.positive? && !roster.measured?(handle)
      end
    end
  end
end
