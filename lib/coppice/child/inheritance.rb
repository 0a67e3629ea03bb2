# frozen_string_literal: true

require "coppice/fork_safety/preset_calls"
require "coppice/fork_safety/remedies"
require "coppice/hook_context"
require "coppice/listeners/trusted_proxies"

module Coppice
  module Child
    # What a process passes on to the processes forked from it: the loaded application, and what every process of the
    # server needs. The cold mold builds it once. It is never changed afterwards.
    Inheritance = Struct.new(
      :app,              # the Rack application
      :settings,         # Config::Settings
      :hook_context,     # HookContext: the first argument of every hook
      :log,              # Log, not yet of a role
      :board,            # Board
      :fork_lock,        # OS::ForkLock
      :fork_callbacks,   # ForkSafety::ForkCallbacks: the blocks of Coppice.at_fork
      :preset_calls,     # ForkSafety::PresetCalls: for libraries that need care when a process forks
      :listener_options, # Hash[Integer, Hash] -- by inode of the monitor's listeners: options of ListenerSource
      :directory,        # String -- of the application
      :trusted_proxies,  # Listeners::TrustedProxies: parsed once, not in each worker
      :environment,      # Hash[String, String] -- variables before the application was loaded
      :first_path,       # String? -- what each worker requests from itself before it is ready
      keyword_init: true
    ) do
      # Builds the first one, around an application that this process has just loaded.
      #: (app: untyped, settings: Config::Settings, log: Log, board: Board, ?listener_names: Array[String],
      #    ?listener_options: Hash[Integer, Hash[Symbol, bool]], ?environment: Hash[String, String]) -> Inheritance
      def self.build(app:, settings:, log:, board:, listener_names: [], listener_options: {}, environment: {})
        context = HookContext.new(settings: settings, log: log, listener_names: listener_names)
        new(app: app, settings: settings, hook_context: context, log: log, board: board,
            fork_lock: Coppice.fork_lock, fork_callbacks: Coppice.fork_callbacks,
            preset_calls: preset_calls(settings),
            trusted_proxies: Listeners::TrustedProxies.new(settings.trusted_networks),
            listener_options: listener_options.freeze, directory: Dir.pwd.freeze,
            environment: environment.freeze).freeze
      end

      def self.preset_calls(settings)
        remedies = ForkSafety::Remedies.new(settings, Coppice.fork_callbacks.blocks)
        ForkSafety::PresetCalls.new(!settings.single? && settings.fork_safety_presets, remedies: remedies)
      end
      private_class_method :preset_calls

      # A copy for one process: its hooks log with the role and slot of that process.
      #: (Membership) -> Inheritance
      def in_process_of(membership)
        self.class.new(**to_h, hook_context: hook_context.with_log(log_of(membership))).freeze
      end

      # A copy for the processes that are forked after a rehearsal.
      #: (String?) -> Inheritance
      def with_first_path(path) = self.class.new(**to_h, first_path: path).freeze

      # The log of one process.
      #: (Membership) -> Log
      def log_of(membership)
        log.with(role: membership.role, nr: membership.nr, name: membership.service, generation: membership.generation)
      end

      # Makes the calls of presets, then calls the blocks that Coppice.at_fork has for the moment of this hook. The
      # configuration's own hook comes last, so that it can override them.
      #: (Symbol, *untyped, log: Log) -> void
      def call_hook(name, *arguments, log:)
        preset_calls.call(name, log)
        fork_callbacks.call(name, log)
        settings.hook(name)&.call(hook_context, *arguments)
      end
    end
  end
end
