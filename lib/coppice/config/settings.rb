# frozen_string_literal: true

require "coppice/config/config_file"
require "coppice/config/hooks"
require "coppice/config/options"
require "coppice/config/ruby_flags"
require "coppice/listeners/address"

module Coppice
  module Config
    # All settings of a server: a frozen value with one reader for each option of the catalogue. The Loader makes the
    # monitor's; a mold, and every process forked from it, has a copy that came by `to_wire` and `from_wire`.
    class Settings
      # Attributes that travel unchanged. config_file is the name as the user gave it; nil without a file.
      PLAIN = %i[config_file config_fingerprint rackup environment_name].freeze

      attr_reader(*PLAIN)
      attr_reader :hooks      #: Hash[Symbol, Proc?]  a key for each hook
      attr_reader :ruby_flags #: RubyFlags

      OPTIONS.names.each do |name|
        define_method(name) { @values.fetch(name) }
      end

      # The monitor's values, with hooks and logger from the file as the cold mold evaluates it. Called before the
      # application is loaded; Ruby's flags take effect here, once. Raises ConfigError.
      #: (Hash[Symbol, untyped]) -> Settings
      def self.evaluate_in_mold(wire)
        RubyFlags.new(wire[:ruby_flags]).apply
        return from_wire(wire) unless wire[:config_file]

        record = ConfigFile.read(wire[:config_file])
        from_wire(wire, hooks: record.hooks, logger: record.values[:logger], read_fingerprint: record.fingerprint)
      end

      # The opposite of to_wire, with the hooks and the logger of this process.
      #: (Hash[Symbol, untyped], ?hooks: Hash[Symbol, Proc?], ?logger: untyped, ?read_fingerprint: Integer?) -> Settings
      def self.from_wire(wire, hooks: {}, logger: nil, read_fingerprint: wire[:config_fingerprint])
        values = OPTIONS.to_h { |option| [option.name, wire[:values].fetch(option.name, option.default)] }
        listen = values.fetch(:listen).map { |address| Listeners::Address.from_wire(address) }.freeze
        new(values: values.merge(listen: listen, logger: logger), origins: wire[:origins], hooks: hooks,
          ruby_flags: RubyFlags.new(wire[:ruby_flags]), read_fingerprint: read_fingerprint, **wire.slice(*PLAIN))
      end

      # Options that `values` leaves out have their default.
      #: (?values: Hash[Symbol, untyped], ?origins: Hash[Symbol, String], ?hooks: Hash[Symbol, Proc?],
      #   ?ruby_flags: RubyFlags, ?read_fingerprint: Integer?, **untyped) -> void
      def initialize(values: {}, origins: {}, hooks: {}, ruby_flags: RubyFlags.new, read_fingerprint: nil, **plain)
        @values = OPTIONS.to_h { |option| [option.name, option.default] }.merge(values).freeze
        @origins = origins.dup.freeze
        @hooks = HOOKS.to_h { |hook| [hook.name, hooks[hook.name]] }.freeze
        @ruby_flags = ruby_flags
        @config_changed = !read_fingerprint.nil? && read_fingerprint != plain[:config_fingerprint]
        PLAIN.each { |name| instance_variable_set(:"@#{name}", plain[name]) }
        freeze
      end

      # Raises KeyError for an unknown name.
      #: (Symbol) -> Proc?
      def hook(name)
        @hooks.fetch(name)
      end

      # The values of the options of one of the SCOPES: the monitor's, or the release's.
      #: (Symbol) -> Hash[Symbol, untyped]
      def values_in_scope(scope)
        raise KeyError, "no scope #{scope}" unless SCOPES.include?(scope)

        @values.select { |name, _| OPTIONS[name].scope == scope }
      end

      # Where the value comes from: "flag --workers", "environment PORT", "config/coppice.rb:3" or "default".
      #: (Symbol) -> String
      def origin(name)
        @origins.fetch(name, "default")
      end

      # Whether the configuration file has changed between the monitor's reading and this process's.
      def config_changed? #: () -> bool
        @config_changed
      end

      # The hard limit of a request, in seconds from its start.
      def hard_timeout #: () -> Numeric
        timeout + timeout_cleanup
      end

      # The longest time between two checks of a worker's channel, in seconds: it may wait for a request's head, and
      # serve it.
      def longest_turn #: () -> Numeric
        client_header_timeout + hard_timeout
      end

      # Maximum time for a forked mold to become ready, in seconds. It prepares its heap at a lower priority: beside
      # busy workers it gets a third of what each of them gets of a processor.
      def mold_timeout #: () -> Numeric
        spawn_timeout * 3
      end

      # Number of requests of one worker after which the next generation is due; nil for never, or when refork_after is
      # no count. The last count of the list repeats.
      #: (Integer) -> Integer?
      def request_limit(generation)
        (refork_after.fetch(generation) { refork_after.last } || nil) if refork_after.is_a?(Array)
      end

      # Whether this is RACK_ENV development, in which a boot must be fast.
      def development? = environment_name == "development" #: () -> bool

      # Whether a cold mold is warmed up before it serves.
      def warm_up? = !(warm_up_requests || hook(:on_warm_up)).nil? #: () -> bool

      # Whether one process does everything.
      def single? = worker_processes == 0 #: () -> bool

      # The same settings for a server that is one process, whatever worker_processes says.
      def in_one_process #: () -> Settings
        return self if single?

        plain = PLAIN.to_h { |name| [name, public_send(name)] }
        self.class.new(values: @values.merge(worker_processes: 0), origins: @origins, hooks: @hooks,
          ruby_flags: @ruby_flags, **plain)
      end

      # Whether any decision depends on the processes' own measurements of their memory.
      def memory_matters? #: () -> bool
        [refork_after, worker_processes].include?(:auto) || !(worker_memory_limit || cold_boot_after_growth).nil?
      end

      # The name of the signal that kills an overdue process.
      #: (Integer) -> Symbol
      def timeout_signal_for(pid)
        timeout_signal.respond_to?(:call) ? timeout_signal.call(pid) : timeout_signal
      end

      # Plain values only: Integers, Strings, Symbols, true, false, nil, and Arrays and Hashes of them. Leaves out what
      # cannot travel: hooks, the logger, and a timeout_signal that is a block, which only the monitor calls.
      def to_wire #: () -> Hash[Symbol, untyped]
        values = @values.reject { |name, value| name == :logger || value.respond_to?(:call) }
        plain = PLAIN.to_h { |name| [name, public_send(name)] }
        values = values.merge(listen: listen.map(&:to_wire))
        plain.merge(values: values, origins: @origins, ruby_flags: @ruby_flags.list)
      end
    end
  end
end
