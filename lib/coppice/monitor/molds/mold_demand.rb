# frozen_string_literal: true

module Coppice
  class Monitor
    # Whether there must be a mold at this moment, and which one is made if there is none. With `keep_mold true` there
    # always must be one; with `keep_mold false` only while there is something to fork: a worker for an empty slot or in
    # place of an outdated one, or a service; and while a service of another release is left, since only a mold of this
    # one can fork its successor.
    class MoldDemand
      #: (Config::Settings) -> void
      def initialize(settings)
        @kept = settings.keep_mold
      end

      #: (Roster) -> bool
      def any?(roster)
        @kept || roster.rehearsing? || !roster.filled? || due_service?(roster) ||
          roster.services.any? { |service| !service.leaving? && !roster.of_release?(service) }
      end

      # Why the next mold is made, as it is counted.
      #: () -> Symbol
      def reason = @kept ? :mold_lost : :mold_needed

      # Whether the next mold begins a generation. A fresh fork that replaces an outdated worker is to be small, so it
      # must share its memory with all others.
      #: (Roster) -> bool
      def new_generation?(roster) = !@kept && roster.outdated_workers.any?

      # Whether the next mold forks what is missing, and exits. Its heap is not prepared: that takes longer than all
      # else until the fork, and writes to pages that the fork could share with the workers that are there.
      #: (Roster) -> bool
      def temporary?(roster) = !@kept && !new_generation?(roster)

      private

      def due_service?(roster) = roster.service_definitions.any? { |definition| due?(definition, roster) }

      def due?(definition, roster)
        service = roster.service(definition.name)
        return roster.handshakes.waiting? if service.nil? && definition.path

        service.nil? || service.leaving? || !(definition.survives_reforks || service.generation == roster.generation)
      end
    end
  end
end
