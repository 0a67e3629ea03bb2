# frozen_string_literal: true

require "coppice/monitor/refork_condition/payback"
require "coppice/monitor/refork_condition/request_count"

module Coppice
  class Monitor
    # When a refork starts by itself. Each condition has one method, `grounds(roster, now)`: the reason for a refork at
    # this moment, as fields of a log line, or nil. It is asked only while a refork could start.
    module ReforkCondition
      #: (Config::Settings) -> (RequestCount | Payback)
      def self.for(settings)
        settings.refork_after == :auto ? Payback.new : RequestCount.new(settings)
      end
    end
  end
end
