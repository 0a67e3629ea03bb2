# frozen_string_literal: true

module Coppice
  module Control
    # What keeps clients out of the lobby at this moment, as people read it.
    module LobbyTroubles
      TEXTS = { paused: "cannot accept connections", full: "refuses requests: as many wait as may" }.freeze

      # nil without a lobby, and where it takes all that come.
      #: (Hash[Symbol, untyped]?) -> String?
      def self.text(lobby)
        troubles = TEXTS.select { |name, _| lobby[name] }.values if lobby
        troubles.join("; ") if troubles&.any?
      end
    end
  end
end
