# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides that a worker is replaced by a fork of the mold where every one has become unsafe to fork before it was
    # known which routes do that: the new one is spared them.
    class HeirDemand
      PAUSE = 10.0 # seconds until another worker is replaced

      def initialize
        @throttle = OS::Throttle.new(PAUSE)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        return [] unless roster.heir.missing?(roster)
        return [] unless roster.settled? && roster.mold&.ready? && roster.mold.row.fork_safe?
        return [] if roster.ready_workers.any? { |worker| worker.row.fork_safe? } || !@throttle.claim(now)

        [Steps::Recycle.new(roster.ready_workers.min_by(&:requests_count), { why: :unsafe })]
      end
    end
  end
end
