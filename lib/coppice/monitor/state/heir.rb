# frozen_string_literal: true

require "coppice/control/lobby_packet"
require "coppice/monitor/state/route_template"

module Coppice
  class Monitor
    # The worker that stays fit to be promoted, where some routes make each worker unsafe that serves them: the lobby
    # gives their requests to others. Knows these routes, as workers have reported them, for as long as their release
    # runs.
    class Heir
      ROUTES = 32 # as many as the lobby knows
      LOST = 3 # heirs that became unsafe all the same, with no refork in between: no other one is chosen then
      SPARED = 1.0 # seconds after which the lobby has known it for sure

      Route = Struct.new(:template, :why)

      attr_reader :routes #: Array[Route]
      attr_reader :worker #: Handle? -- the heir

      #: () -> void
      def initialize
        @routes = []
        @lost = 0
      end

      # A request has made a worker unsafe. Returns whether that was an heir which had been spared such requests.
      #: (Handle, untyped, Float) -> bool
      def note(handle, message, now)
        forget_others(handle.release)
        learn(RouteTemplate.of(message.request), message.why)
        lost = handle.equal?(@worker) && now - @chosen_at > SPARED
        @lost += 1 if lost
        lost
      end

      # Whether heirs are of no use: requests of routes that are not known make them unsafe.
      #: () -> bool
      def given_up? = @lost >= LOST

      # Whether there is to be one, and none can be chosen.
      #: (Roster) -> bool
      def missing?(roster) = @worker.nil? && wanted?(roster)

      # Chooses another heir where there is none any more, or the one that there is will be replaced.
      #: (Roster, Float) -> void
      def look(roster, now)
        return if @routes.empty?

        forget_others(roster.release)
        note_refork(roster.generation)
        wanted = wanted?(roster)
        choose(nil, now) unless wanted && @worker && fit?(@worker, roster)
        choose(best(roster), now) if wanted && @worker&.generation != roster.generation
      end

      # What the lobby is to know.
      #: () -> Array[Control::LobbyPacket]
      def packets
        return [] unless @release

        [Control::LobbyPacket.of("avoided-routes", route: @worker ? @routes.map(&:template) : []),
         Control::LobbyPacket.of("heir", @worker ? @worker.seat.number : -1)]
      end

      private

      def wanted?(roster) = @routes.any? && !given_up? && roster.lobby_wanted && roster.ready_workers.size > 1

      # A refork that an heir has made possible: those that were lost before it were no reason to give up.
      def note_refork(generation)
        @lost = 0 unless @generation == generation || given_up?
        @generation = generation
      end

      def choose(worker, now)
        return if worker.equal?(@worker)

        @worker.row.heir = 0 if @worker && !@worker.gone?
        @worker = worker
        @chosen_at = now
        @worker.row.heir = 1 if @worker
      end

      # Of the newest generation: one that starts, so that the lobby knows it before its first request; or the warmest.
      def best(roster)
        roster.workers.select { |worker| fit?(worker, roster) }
              .max_by { |worker| [worker.generation, worker.starting? ? 1 : 0, worker.requests_count, -worker.nr] }
      end

      # A trial has to meet all requests, and surplus workers exit soon.
      def fit?(worker, roster)
        (worker.ready? || worker.starting?) && !worker.seat.nil? && worker.row.fork_safe? &&
          roster.of_release?(worker) && worker.generation <= roster.generation && worker.nr < roster.target
      end

      def forget_others(release)
        return if @release == release.number

        @release = release.number
        @routes = []
        @lost = 0
        choose(nil, nil)
      end

      def learn(template, why)
        return if template.nil? || @routes.size >= ROUTES || @routes.any? { |route| route.template == template }

        @routes += [Route.new(template, why)]
      end
    end
  end
end
