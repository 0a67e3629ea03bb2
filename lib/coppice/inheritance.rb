# frozen_string_literal: true

require "coppice/server"

module Coppice
  # What one process of the family hands to the next across a fork: the loaded
  # application and what is needed to live beside it. Built once by the cold mold;
  # never changed afterwards.
  Inheritance = Struct.new(
    :app,           # the Rack application
    :settings,      # Config::Settings
    :server,        # Server: what hooks see
    :log,           # Log, not yet of a role
    :board,         # Board
    :fork_lock,     # OS::ForkLock
    :borrowed_queues, # bool -- somebody else, such as systemd, goes on listening on one of the listeners at least
    :first_path, # String? -- what each worker asks itself for before it is ready
    keyword_init: true
  ) do
    # Of an application that this process has loaded.
    #: (app: untyped, settings: Config::Settings, log: Log, board: Board, ?listener_names: Array[String],
    #    ?borrowed_queues: bool) -> Inheritance
    def self.begin(app:, settings:, log:, board:, listener_names: [], borrowed_queues: false)
      server = Server.new(settings: settings, log: log, listener_names: listener_names)
      new(app: app, settings: settings, server: server, log: log, board: board, fork_lock: Coppice.fork_lock,
          borrowed_queues: borrowed_queues).freeze
    end

    # The same for those that are forked after a rehearsal.
    #: (String?) -> Inheritance
    def with_first_path(path) = self.class.new(**to_h, first_path: path).freeze

    # The log in which a member of the family speaks for itself.
    #: (Membership) -> Log
    def log_of(membership) = log.with(role: membership.role, nr: membership.nr, generation: membership.generation)
  end
end
