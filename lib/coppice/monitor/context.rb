# frozen_string_literal: true

module Coppice
  class Monitor
    # What the parts of the monitor share that learn facts and carry out steps. All that is outside of supervision is
    # reached through these, so that tests can put others in their place.
    #
    #   system      System
    #   board       Board
    #   rows        RowPool
    #   port        ServingPort
    #   molds       MoldSpawner
    #   observers   ObserverSpawner
    #   lobbies     LobbySpawner
    #   hooks       UserHooks
    #   knowledge   Knowledge
    #   releases    Releases
    #   log         Log
    #
    # What supervision knows of the server:
    #
    #   roster      Roster
    #   records     Records
    Context = Struct.new(:system, :board, :rows, :port, :molds, :observers, :lobbies, :hooks, :knowledge, :releases,
                         :log, :roster, :records, keyword_init: true)
  end
end
