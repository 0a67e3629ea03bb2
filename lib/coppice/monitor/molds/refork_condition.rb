# frozen_string_literal: true

require "coppice/monitor/molds/refork_condition/payback"
require "coppice/monitor/molds/refork_condition/request_count"

module Coppice
  class Monitor
    # When the server starts a refork without being asked. Each condition has one method, `reason_fields(roster, now)`.
    # It returns the reason for a refork at this moment as fields of a log line, or nil if there is none. Promotion
    # calls it only while a refork could start. `ledger(now)` returns what it found last, for the board.
    module ReforkCondition
      #: (Config::Settings) -> (RequestCount | Payback)
      def self.for(settings)
        settings.refork_after == :auto ? Payback.new(price: settings.memory_price) : RequestCount.new(settings)
      end
    end
  end
end
