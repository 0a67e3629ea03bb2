# frozen_string_literal: true

require "coppice/monitor/molds/mold_demand"
require "coppice/monitor/steps"

module Coppice
  class Monitor
    # With `keep_mold false`: decides that the mold exits, because it has had nothing to fork for a while. The memory of
    # an idle mold is little but pages that its workers have written to since, and so have copies of.
    class IdleMold
      # Seconds: what has killed one worker may kill the next one soon, and a mold replaces it in milliseconds.
      IDLE = 10.0

      #: (Config::Settings) -> void
      def initialize(settings)
        @demand = MoldDemand.new(settings)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        mold = roster.available_mold
        return busy if mold.nil? || roster.candidate || @demand.any?(roster)

        @idle_since ||= now
        now - @idle_since >= IDLE ? [Steps::Retire.new(mold)] : []
      end

      private

      def busy
        @idle_since = nil
        []
      end
    end
  end
end
