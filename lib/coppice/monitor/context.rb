# frozen_string_literal: true

module Coppice
  class Monitor
    # What the parts of the monitor share that learn facts and carry out steps: the ways to the system, to listeners and
    # to the user's hooks, and what is known of the server.
    #
    #   system      System
    #   board       Board
    #   rows        RowPool
    #   port        ServingPort
    #   hooks       UserHooks
    #   keeper      StateKeeper
    #   log         Log
    #   roster      Roster
    #   statistics  Statistics
    Context = Struct.new(:system, :board, :rows, :port, :hooks, :keeper, :log, :roster, :statistics, keyword_init: true)
  end
end
