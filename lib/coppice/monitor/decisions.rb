# frozen_string_literal: true

require "coppice/monitor/workers/capacity"
require "coppice/monitor/workers/elasticity"
require "coppice/monitor/decide/guests"
require "coppice/monitor/workers/heir_demand"
require "coppice/monitor/molds/idle_mold"
require "coppice/monitor/molds/leak_watch"
require "coppice/monitor/lobby/lobby_presence"
require "coppice/monitor/decide/observation"
require "coppice/monitor/molds/promotion"
require "coppice/monitor/workers/recycling"
require "coppice/monitor/decide/refusal"
require "coppice/monitor/decide/remeasurement"
require "coppice/monitor/decide/retirement"
require "coppice/monitor/rolls/rolling"
require "coppice/monitor/workers/rollout"
require "coppice/monitor/decide/services"
require "coppice/monitor/decide/shutdown"
require "coppice/monitor/decide/state_keeping"
require "coppice/monitor/workers/warm_start"
require "coppice/monitor/decide/watchdog"

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

        now < roster.stop.exits_begin_at ? @delaying : @leaving
      end

      # When some of them have something to do whatever comes (monotonic seconds).
      #: (Float) -> Array[Float?]
      def times(now) = [*[@watchdog, @remeasurement, @capacity].map(&:due_at), @elasticity.due_at(now)]
    end
  end
end
