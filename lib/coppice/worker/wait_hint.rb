# frozen_string_literal: true

module Coppice
  class Worker
    # By this an application says that its request will wait for something else than a processor, such as another
    # service: another worker can then take its worker's place at once (Monitor::Elasticity). Applications get it as
    # env["coppice.waits"], and under the name that Puma 8 has for the same.
    class WaitHint
      NAMES = ["coppice.waits", "puma.mark_as_io_bound"].freeze

      # What each env has of it, where the number of workers follows the load.
      #: (Config::Settings, Board::Row) -> Hash[String, WaitHint]
      def self.marks(settings, row)
        settings.elastic? ? NAMES.product([new(row)]).to_h : {}
      end

      #: (Board::Row) -> void
      def initialize(row)
        @row = row
      end

      # Holds until the end of the request in flight.
      #: () -> void
      def call
        @row.waits_ms = @row.started_ms
        nil
      end
    end
  end
end
