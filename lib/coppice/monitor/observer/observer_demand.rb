# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides when there must be an observer: always, if the configuration asks for one. After a roll another one calls
    # the hook of the new release, with its bundle. No other decision depends on it.
    class ObserverDemand
      #: (Config::Settings) -> void
      def initialize(settings)
        @wanted = settings.observed?
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        observer = roster.observer
        return @wanted && roster.observers.over?(now) ? [Steps::Observe.new] : [] unless observer

        observer.ready? && replaceable?(roster) ? [Steps::Retire.new(observer)] : []
      end

      private

      # Without the hook it does the same for every release.
      def replaceable?(roster)
        releases = [roster.observer_release, roster.release]
        releases.uniq(&:number).size > 1 && releases.any? { |release| release.settings.hook(:on_stats) }
      end
    end
  end
end
