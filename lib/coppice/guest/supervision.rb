# frozen_string_literal: true

require "coppice/monitor/steps"

module Coppice
  class Monitor
    # Decides which guests there may be: how many, and for how long; and when they get the signals that were kept.
    class Guests
      HANG_UP_SECONDS = 5.0 # from HUP to KILL
      NONE_ALLOWED = "this server allows no guests, as is usual outside of development: `guests 1` in its " \
                     "configuration allows one, and `coppice roll` brings that without a restart"

      #: (Config::Settings) -> void
      def initialize(settings)
        @limit = settings.guest_limit
        @timeout = settings.guest_timeout
      end

      # Also tells guests to exit whose client is gone, or that are over their time.
      #: (Roster, Float) -> Array[Step]
      def next(roster, now)
        waiting = roster.guests.select { |guest| guest.kept_signals.any? && guest.handles_signals? }
        waiting.map { |guest| Steps::SendKeptSignals.new(guest) } + hang_ups(roster, now)
      end

      # What a client's wish leads to. Raises Error when there can be no guest.
      #: (Roster, Hash[Symbol, IO], GuestClient) -> Steps::SpawnGuest
      def admit(roster, descriptors, client)
        raise Error, NONE_ALLOWED if @limit.zero?
        raise Error, "there are #{@limit} guests already, and the option guests allows no more" if full?(roster)

        mold = roster.mold
        raise Error, "no mold is ready: the application is not loaded yet" unless mold&.ready?

        Steps::SpawnGuest.new(mold, descriptors, client)
      end

      private

      def hang_ups(roster, now)
        roster.guests.reject(&:kill_reason).filter_map do |guest|
          reason = reason_to_hang_up(guest, now)
          Steps::HangUp.new(guest, reason, HANG_UP_SECONDS) if reason
        end
      end

      def full?(roster) = roster.guests.size >= @limit

      def reason_to_hang_up(guest, now)
        return :client_gone if guest.client&.gone?

        :guest_timeout if @timeout && guest.ready_at && now - guest.ready_at >= @timeout
      end
    end
  end
end
