# frozen_string_literal: true

# Runs in the monitor.

module Coppice
  class Monitor
    # The states of a child as the monitor knows them, and the legal moves.
    module Lifecycle
      MOVES = {
        requested: [:forked, :leaving, :gone],          # somebody was told to fork it
        forked: [:registered, :leaving, :gone],         # its pid is known
        registered: [:ready, :leaving, :gone],          # it has spoken for itself
        ready: [:leaving, :gone],                       # it serves, or can fork
        leaving: [:gone],                               # it was told to stop
        gone: []                                        # reaped, or never came to be
      }.freeze

      #: (Symbol, Symbol) -> bool
      def self.legal?(from, to) = MOVES.fetch(from).include?(to)
    end
  end
end
