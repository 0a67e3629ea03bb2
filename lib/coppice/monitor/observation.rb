# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides when there must be an observer: always, if the configuration asks for one. No other decision depends on
    # it.
    class Observation
      #: (Config::Settings) -> void
      def initialize(settings)
        @wanted = settings.observed?
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        @wanted && roster.observer.nil? && roster.observers.over?(now) ? [Steps::Observe.new] : []
      end
    end
  end
end
