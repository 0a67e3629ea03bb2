# frozen_string_literal: true

module Coppice
  module Control
    # How many workers are ready, as people read it.
    module ReadyWorkers
      # "1 of 2". More than are wanted, during a rollout for instance: "2 of 2 and 2 surplus".
      #: (Hash[Symbol, untyped]) -> String
      def self.text(server)
        ready, wanted = server.values_at(:workers_ready, :workers)
        ready > wanted ? "#{wanted} of #{wanted} and #{ready - wanted} surplus" : "#{ready} of #{wanted}"
      end
    end
  end
end
