# frozen_string_literal: true

require "coppice/guest/supervision/session"
require "coppice/monitor/steps"

module Coppice
  class Guest
    # The monitor's side of guests: how many there may be, and for how long; and when they get the signals that were
    # kept for them.
    class Supervision
      HANG_UP_SECONDS = 5.0 # from HUP to KILL
      NONE_ALLOWED = "this server allows no guests, as is usual outside of development: `guests 1` in its " \
                     "configuration allows one, and `coppice roll` brings that without a restart"

      # What the verb `run` does for its client.
      #: (Monitor::Operations, Monitor::ControlConnection::Caller) -> Monitor::ControlConnection::Pending
      def self.session(operations, caller) = Session.new(operations, caller).begin

      #: (Config::Settings) -> void
      def initialize(settings)
        @limit = settings.guest_limit
        @timeout = settings.guest_timeout
      end

      # Also tells guests to exit whose client is gone, or that are over their time.
      #: (Monitor::Roster, Float) -> Array[Monitor::Step]
      def next(roster, now)
        guests = guests(roster)
        waiting = guests.select { |guest| guest.kept_signals.any? && guest.handles_signals? }
        waiting.map { |guest| Monitor::Steps::SendKeptSignals.new(guest) } + hang_ups(guests, now)
      end

      # What a client's wish leads to. Raises Error when there can be no guest.
      #: (Monitor::Roster, Errand) -> Monitor::Steps::SpawnErrand
      def admit(roster, errand)
        raise Error, NONE_ALLOWED if @limit.zero?
        raise Error, "there are #{@limit} guests already, and the option guests allows no more" if full?(roster)

        mold = roster.mold
        raise Error, "no mold is ready: the application is not loaded yet" unless mold&.ready?

        Monitor::Steps::SpawnErrand.new(mold, errand)
      end

      private

      def guests(roster) = roster.children[:guests].to_a

      def hang_ups(guests, now)
        guests.reject(&:kill_reason).filter_map do |guest|
          reason = reason_to_hang_up(guest, now)
          Monitor::Steps::HangUp.new(guest, reason, HANG_UP_SECONDS) if reason
        end
      end

      def full?(roster) = guests(roster).size >= @limit

      def reason_to_hang_up(guest, now)
        return :client_gone if guest.errand.gone?

        :guest_timeout if @timeout && guest.ready_at && now - guest.ready_at >= @timeout
      end
    end
  end
end
