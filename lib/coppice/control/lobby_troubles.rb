# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/control/duration"

module Coppice
  module Control
    # What keeps clients from a worker at this moment, as people read it.
    module LobbyTroubles
      TEXTS = { paused: "cannot accept connections", full: "refuses requests: as many wait as may" }.freeze

      # A loop that is late is shown before the monitor kills it.
      LATE_SECONDS = Board::LOOP_LIMIT_SECONDS / 2

      # nil without a lobby, and where it takes all that come.
      #: (Hash[Symbol, untyped]?) -> String?
      def self.text(lobby)
        return unless lobby

        states = TEXTS.select { |name, _| lobby[name] }.values
        troubles = [late(lobby[:beat_age]), *states, held_back(*lobby.values_at(:held_back, :held_route))].compact
        troubles.join("; ") if troubles.any?
      end

      def self.late(age)
        "has not moved for #{Duration.text(age)}: it is stopped or hangs" if age && age > LATE_SECONDS
      end

      def self.held_back(count, route)
        return unless count&.positive?

        "holds back #{count} #{count == 1 ? 'request' : 'requests'} of slow routes, such as #{route}"
      end
      private_class_method :late, :held_back
    end
  end
end
