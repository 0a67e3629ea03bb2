# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    module ReforkCondition
      # The user's list: a worker has served as many requests as its generation shall.
      class RequestCount
        #: (untyped) -> void
        def initialize(settings)
          @settings = settings
        end

        #: (Roster, Float) -> Hash[Symbol, untyped]?
        def grounds(roster, _now)
          limit = @settings.request_limit(roster.generation)
          { why: :requests, limit: limit } if limit && roster.ready_workers.any? { |worker| worker.requests_count >= limit }
        end
      end
    end
  end
end
