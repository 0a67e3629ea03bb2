# frozen_string_literal: true

require "coppice/monitor/steps"
require "coppice/os/throttle"

module Coppice
  class Monitor
    # Decides about service processes: which ones are missing, which are of an old generation or over a limit, and that
    # all of them exit once the server was told to stop. There are never two of one name: the next one is forked when
    # the one before it is gone, with its process group; but one that serves handshakes closes its sockets beside the
    # next one.
    class Services
      LIMITS_PAUSE = 1.0 # seconds

      def initialize
        @limits_looks = OS::Throttle.new(LIMITS_PAUSE)
      end

      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        roster.handshakes.forget
        return leaving(roster.services) if roster.stopping

        over_limit(roster, now) + leaving(outdated(roster)) + missing(roster, now).first(1)
      end

      private

      # From then on they are outdated.
      def over_limit(roster, now)
        return [] unless @limits_looks.claim(now)

        within = roster.services.reject { |handle| handle.starting? || handle.leaving? || handle.over_limit }
        excesses = within.to_h { |handle| [handle, excess(handle, roster, now)] }.compact
        excesses.map { |handle, excess| Steps::Recycle.new(handle, excess) }
      end

      # What was measured while fewer processes shared the same pages says nothing.
      def excess(handle, roster, now)
        handle.service.limits.excess(handle.pid, now - handle.ready_at, roster.headroom.total) do
          { pss: handle.row.pss_kib, private: handle.row.private_kib } if roster.measured?(handle)
        end
      end

      def leaving(services) = services.reject(&:leaving?).map { |service| Steps::Retire.new(service) }

      # None exits while a candidate is on trial, and none without a mold that can fork its successor.
      def outdated(roster)
        return [] if roster.candidate || roster.rehearsing? || !roster.mold&.ready?

        roster.services.reject { |handle| handle.starting? || up_to_date?(handle, roster) }
      end

      # One that survives reforks does not survive its release.
      def up_to_date?(handle, roster)
        return false if handle.over_limit
        return handle.generation == roster.generation unless handle.service.survives_reforks

        roster.of_release?(handle)
      end

      def missing(roster, now)
        wanted = roster.service_definitions.select do |definition|
          roster.service(definition.name).nil? && roster.service_backoff(definition.name).over?(now) &&
            (definition.path.nil? || roster.handshakes.await)
        end
        mold = roster.available_mold
        return [] if mold.nil? || !roster.spawns.over?(now)

        wanted.map { |definition| Steps::SpawnService.new(mold, definition) }
      end
    end
  end
end
