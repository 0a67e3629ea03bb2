# frozen_string_literal: true

require "coppice/stats"

module Coppice
  class Observer
    # A reader of the board that several threads may use.
    class SharedStats
      #: (Stats) -> void
      def initialize(stats)
        @stats = stats
        @reading = Mutex.new
      end

      #: () -> Hash[Symbol, untyped]
      def to_h = @reading.synchronize { @stats.to_h }

      #: (?since: Integer) -> Hash[Symbol, untyped]
      def history(since: 0) = @reading.synchronize { @stats.history(since: since) }
    end
  end
end
