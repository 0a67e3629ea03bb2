# frozen_string_literal: true

require "coppice/server"

module Coppice
  # What a process hands to those forked from it: the loaded application and what is needed to live beside it. Built
  # once by the cold mold; never changed afterwards.
  Inheritance = Struct.new(
    :app,             # the Rack application
    :settings,        # Config::Settings
    :server,          # Server: what hooks get
    :log,             # Log, not yet of a role
    :board,           # Board
    :fork_lock,       # OS::ForkLock
    :fork_callbacks,  # ForkSafety::ForkCallbacks: the blocks of Coppice.at_fork
    :borrowed_queues, # bool -- another process, such as systemd, goes on listening on at least one of the listeners
    :first_path,      # String? -- what each worker requests from itself before it is ready
    keyword_init: true
  ) do
    # Of an application that this process has loaded.
    #: (app: untyped, settings: Config::Settings, log: Log, board: Board, ?listener_names: Array[String],
    #    ?borrowed_queues: bool) -> Inheritance
    def self.begin(app:, settings:, log:, board:, listener_names: [], borrowed_queues: false)
      server = Server.new(settings: settings, log: log, listener_names: listener_names)
      new(app: app, settings: settings, server: server, log: log, board: board, fork_lock: Coppice.fork_lock,
          fork_callbacks: Coppice.fork_callbacks, borrowed_queues: borrowed_queues).freeze
    end

    # The same in one process: its hooks log in its name.
    #: (Membership) -> Inheritance
    def in_process_of(membership) = self.class.new(**to_h, server: server.with_log(log_of(membership))).freeze

    # The same for the processes that are forked after a rehearsal.
    #: (String?) -> Inheritance
    def with_first_path(path) = self.class.new(**to_h, first_path: path).freeze

    # The log of one process.
    #: (Membership) -> Log
    def log_of(membership) = log.with(role: membership.role, nr: membership.nr, generation: membership.generation)

    # Calls the blocks that Coppice.at_fork has for the moment of this hook, then the configuration's hook, which so has
    # the last word.
    #: (Symbol, *untyped, log: Log) -> void
    def call_hook(name, *arguments, log:)
      fork_callbacks.call(name, log)
      settings.hook(name)&.call(server, *arguments)
    end
  end
end
