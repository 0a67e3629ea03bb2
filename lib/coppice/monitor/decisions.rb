# frozen_string_literal: true

require "coppice/monitor/capacity"
require "coppice/monitor/elasticity"
require "coppice/monitor/guests"
require "coppice/monitor/heir_demand"
require "coppice/monitor/idle_mold"
require "coppice/monitor/leak_watch"
require "coppice/monitor/lobby_presence"
require "coppice/monitor/observation"
require "coppice/monitor/promotion"
require "coppice/monitor/recycling"
require "coppice/monitor/refusal"
require "coppice/monitor/remeasurement"
require "coppice/monitor/retirement"
require "coppice/monitor/rolling"
require "coppice/monitor/rollout"
require "coppice/monitor/services"
require "coppice/monitor/shutdown"
require "coppice/monitor/state_keeping"
require "coppice/monitor/warm_start"
require "coppice/monitor/watchdog"

module Coppice
  class Monitor
    # All decisions, by the settings of one release, in the order in which they are made in each turn.
    class Decisions
      attr_reader :guests    #: Guests
      attr_reader :promotion #: Promotion

      # requests_waiting: as of Capacity; baseline: as of Promotion.
      #: (Config::Settings, board: Board, sizing: Sizing, elasticity: Elasticity,
      #    requests_waiting: ^() -> Integer, baseline: ^() -> Canary::Counts) -> void
      def initialize(settings, board:, sizing:, elasticity:, requests_waiting:, baseline:)
        lobby = LobbyPresence.new
        @capacity = Capacity.new(settings, requests_waiting: requests_waiting)
        services = Services.new
        @elasticity = elasticity
        always = [Observation.new(settings), lobby, @watchdog = Watchdog.new(settings, board),
                  @guests = Guests.new(settings)]
        @serving = [*always, Retirement.new, LeakWatch.new(settings), Rolling.new,
                    @promotion = Promotion.new(settings, baseline: baseline), sizing, elasticity,
                    StateKeeping.new(settings), WarmStart.new, @remeasurement = Remeasurement.new,
                    Recycling.new(settings), HeirDemand.new, Rollout.new(settings), @capacity, services,
                    IdleMold.new(settings)]
        @delaying = [*always, @capacity, services]
        @leaving = [lobby, @watchdog, @guests, Refusal.new, Shutdown.new]
      end

      # Those that are made now. A server that still serves though it was told to stop replaces lost workers, and
      # changes nothing else.
      #: (Roster, Float) -> Array[untyped]
      def due(roster, now)
        return @serving unless roster.stopping

        now < roster.stop_begins_at ? @delaying : @leaving
      end

      # When some of them have something to do whatever comes (monotonic seconds).
      #: (Float) -> Array[Float?]
      def times(now) = [*[@watchdog, @remeasurement, @capacity].map(&:due_at), @elasticity.due_at(now)]
    end
  end
end
