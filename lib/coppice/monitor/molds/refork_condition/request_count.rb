# frozen_string_literal: true

module Coppice
  class Monitor
    module ReforkCondition
      # The user's list: a worker that may be promoted has served as many requests as its generation should.
      class RequestCount
        #: (Config::Settings) -> void
        def initialize(settings)
          @settings = settings
        end

        #: (Roster, Float) -> Hash[Symbol, untyped]?
        def reason_fields(roster, _now)
          limit = @settings.request_limit(roster.generation)
          { why: :requests, limit: limit } if limit && roster.ready_workers.any? { |worker| reached?(worker, limit) }
        end

        # It weighs nothing.
        #: (Float) -> nil
        def ledger(_now) = nil

        private

        def reached?(worker, limit) = worker.requests_count >= limit && worker.row.fork_safe?
      end
    end
  end
end
