# frozen_string_literal: true

require "coppice/control/lobby_packet"
require "coppice/monitor/route_template"

module Coppice
  class Monitor
    # The worker that stays fit to be promoted, where some routes make each worker unsafe that serves them: the lobby
    # gives their requests to others. Knows these routes, as workers have reported them, for as long as their release
    # runs.
    class Heir
      ROUTES = 32 # as many as the lobby knows
      LOST = 3 # heirs of a release that became unsafe all the same: no other one is chosen then

      Route = Struct.new(:template, :why)

      attr_reader :routes #: Array[Route]
      attr_reader :worker #: Handle? -- the heir

      #: () -> void
      def initialize
        @routes = []
        @lost = 0
      end

      # A request has made a worker unsafe. Returns whether that was the heir.
      #: (Handle, String, String) -> bool
      def note(handle, request, why)
        forget_others(handle.release)
        learn(RouteTemplate.of(request), why)
        return false unless handle.equal?(@worker)

        @lost += 1
        choose(nil)
        true
      end

      # Whether heirs are of no use: requests of routes that are not known make them unsafe.
      #: () -> bool
      def given_up? = @lost >= LOST

      # Chooses another heir where there is none any more: the warmest worker that may be forked.
      #: (Roster) -> void
      def look(roster)
        return if @routes.empty?

        forget_others(roster.release)
        return if @worker && fit?(@worker, roster)

        choose(@routes.any? && !given_up? && roster.ready_workers.size > 1 ? warmest(roster) : nil)
      end

      # What the lobby is to know.
      #: () -> Array[Control::LobbyPacket]
      def packets
        return [] unless @release

        [Control::LobbyPacket.of("avoided-routes", route: @routes.map(&:template)),
         Control::LobbyPacket.of("heir", @worker ? @worker.seat.number : -1)]
      end

      private

      def choose(worker)
        @worker.row.heir = 0 if @worker && !@worker.gone?
        @worker = worker
        @worker.row.heir = 1 if @worker
      end

      def warmest(roster)
        roster.ready_workers.select { |worker| fit?(worker, roster) }
              .max_by { |worker| [worker.generation, worker.requests_count] }
      end

      def fit?(worker, roster)
        worker.serving? && worker.seat && worker.row.fork_safe? && roster.of_release?(worker)
      end

      def forget_others(release)
        return if @release == release.number

        @release = release.number
        @routes = []
        @lost = 0
        choose(nil)
      end

      def learn(template, why)
        return if template.nil? || @routes.size >= ROUTES || @routes.any? { |route| route.template == template }

        @routes += [Route.new(template, why)]
      end
    end
  end
end
