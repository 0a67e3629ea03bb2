# frozen_string_literal: true

require "coppice/monitor/decide/knowledge_keeping"
require "coppice/monitor/decide/refusal"
require "coppice/monitor/decide/remeasurement"
require "coppice/monitor/decide/retirement"
require "coppice/monitor/decide/services"
require "coppice/monitor/decide/shutdown"
require "coppice/monitor/decide/watchdog"
require "coppice/monitor/lobby/lobby_presence"
require "coppice/monitor/molds/idle_mold"
require "coppice/monitor/molds/leak_watch"
require "coppice/monitor/molds/promotion"
require "coppice/monitor/observer/observer_demand"
require "coppice/monitor/role_supervision"
require "coppice/monitor/rolls/release_switch"
require "coppice/monitor/workers/capacity"
require "coppice/monitor/workers/elasticity"
require "coppice/monitor/workers/heir_demand"
require "coppice/monitor/workers/recycling"
require "coppice/monitor/workers/rollout"
require "coppice/monitor/workers/warm_start"

module Coppice
  class Monitor
    # All decisions, by the settings of one release, in the order in which they are made in each turn.
    class Decisions
      attr_reader :promotion #: Promotion

      # requests_waiting: as of Capacity; baseline: as of Promotion.
      #: (Config::Settings, context: Context, sizing: Sizing, elasticity: Elasticity,
      #    requests_waiting: ^() -> Integer, baseline: ^() -> Canary::Counts) -> void
      def initialize(settings, context:, sizing:, elasticity:, requests_waiting:, baseline:)
        lobby = LobbyPresence.new
        @capacity = Capacity.new(settings, requests_waiting: requests_waiting)
        services = Services.new
        @elasticity = elasticity
        @of_roles = RoleSupervision::ALL.transform_values { |supervision| supervision.new(settings) }
        @watchdog = Watchdog.new(settings, context.board, context.system)
        always = [ObserverDemand.new(settings), lobby, @watchdog, *@of_roles.values]
        @serving = [*always, Retirement.new, LeakWatch.new(settings), ReleaseSwitch.new,
                    @promotion = Promotion.new(settings, baseline: baseline), sizing, elasticity,
                    KnowledgeKeeping.new(settings), WarmStart.new, @remeasurement = Remeasurement.new,
                    Recycling.new(settings), HeirDemand.new, Rollout.new(settings), @capacity, services,
                    IdleMold.new(settings)]
        @delaying = [*always, @capacity, services]
        @leaving = [lobby, @watchdog, *@of_roles.values, Refusal.new, Shutdown.new]
      end

      # What somebody's wish leads to. Raises Error when that cannot be.
      #: (Roster, untyped) -> Step
      def admit(roster, errand) = @of_roles.fetch(errand.role).admit(roster, errand)

      # The decisions that are made now. A server that still serves though it was told to stop replaces lost workers,
      # and changes nothing else.
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
