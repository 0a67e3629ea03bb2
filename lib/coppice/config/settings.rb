# frozen_string_literal: true

require "coppice/config/config_file"
require "coppice/config/hooks"
require "coppice/config/options"
require "coppice/config/ruby_flags"
require "coppice/config/service_definition"
require "coppice/config/services"
require "coppice/listeners/address"

module Coppice
  module Config
    # All settings of a server: a frozen value with one reader for each option of the catalogue. The Loader makes the
    # monitor's; a mold, and every process forked from it, has a copy that came by `to_wire` and `from_wire`.
    class Settings
      # Attributes that travel unchanged. config_file is the name as the user gave it; nil without a file.
      PLAIN = %i[config_file config_text rackup environment_name first_generation].freeze

      # Options whose value is a list of addresses.
      ADDRESSES = %i[listen admin_listen].freeze

      DEFAULT_COLD_TIMEOUT = OPTIONS[:timeout].default * 3 # seconds, where nobody has chosen a timeout

      attr_reader(*PLAIN)
      attr_reader :hooks      #: Hash[Symbol, Proc?]  a key for each hook
      attr_reader :ruby_flags #: RubyFlags
      attr_reader :notes      #: Array[String]  for the log, about lines of the file without effect; not in a mold
      # The service processes that there should be. The first one is the service worker, if hooks ask for one.
      attr_reader :services #: Array[ServiceDefinition]

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
        from_wire(wire, hooks: record.hooks, services: record.services.values, logger: record.values[:logger],
          read_text: record.text)
      end

      # The opposite of to_wire, with the hooks, the services and the logger of this process.
      #: (Hash[Symbol, untyped], ?hooks: Hash[Symbol, Proc?], ?services: Array[ServiceDefinition], ?logger: untyped,
      #   ?read_text: String?) -> Settings
      def self.from_wire(wire, hooks: {}, services: [], logger: nil, read_text: wire[:config_text])
        values = OPTIONS.to_h { |option| [option.name, wire[:values].fetch(option.name, option.default)] }
        addresses = values.slice(*ADDRESSES).transform_values do |list|
          list&.map { |address| Listeners::Address.from_wire(address) }.freeze
        end
        new(values: values.merge(addresses, logger: logger), origins: wire[:origins], hooks: hooks,
          services: services, ruby_flags: RubyFlags.new(wire[:ruby_flags]), read_text: read_text,
          **wire.slice(*PLAIN))
      end

      # Options that `values` leaves out have their default.
      #: (?values: Hash[Symbol, untyped], ?origins: Hash[Symbol, String], ?hooks: Hash[Symbol, Proc?],
      #   ?services: Array[ServiceDefinition], ?ruby_flags: RubyFlags, ?notes: Array[String],
      #   ?read_text: String?, **untyped) -> void
      def initialize(values: {}, origins: {}, hooks: {}, services: [], ruby_flags: RubyFlags.new, notes: [],
                     read_text: nil, **plain)
        @values = OPTIONS.to_h { |option| [option.name, option.default] }.merge(values).freeze
        @origins = origins.dup.freeze
        @hooks = HOOKS.to_h { |hook| [hook.name, hooks[hook.name]] }.freeze
        @services = [service_worker, *services].compact.freeze
        @ruby_flags = ruby_flags
        @notes = notes.dup.freeze
        @config_changed = !read_text.nil? && read_text.b != plain[:config_text]&.b
        PLAIN.each { |name| instance_variable_set(:"@#{name}", plain[name]) }
        freeze
      end

      # The names of the services that always run, with spaces, as the board has them.
      #: () -> String
      def service_names = services.reject(&:path).map { |service| service.name || "service" }.join(" ")

      # Whether nothing is said of a service for WebSockets, nor of one by the name that it would get.
      #: () -> bool
      def detects_websockets?
        services.none?(&:path) && origin(:"service #{DETECTED_SERVICE}") == "default"
      end

      # nil for a name that the configuration does not have.
      #: (String?) -> ServiceDefinition?
      def service(name) = services.find { |service| service.name == name }

      # Raises KeyError for an unknown name.
      #: (Symbol) -> Proc?
      def hook(name)
        @hooks.fetch(name)
      end

      # The values of the options that hold from the start of the server to its end, see SCOPES.
      #: () -> Hash[Symbol, untyped]
      def server_values = @values.select { |name, _| OPTIONS[name].scope == :server }

      # Where the value comes from: "flag --workers", "environment PORT", "config/coppice.rb:3" or "default".
      #: (Symbol) -> String
      def origin(name)
        @origins.fetch(name, "default")
      end

      # Whether the configuration file has changed between the monitor's reading and this process's.
      def config_changed? #: () -> bool
        @config_changed
      end

      # The soft limit of a request in a worker whose mold is cold, in seconds.
      def cold_timeout = [timeout, timeout_cold].compact.max #: () -> Numeric

      # The longest soft limit of a request that the configuration allows, in seconds.
      def longest_timeout #: () -> Numeric
        [cold_timeout, *timeout_for.map(&:last)].max
      end

      # The shortest one.
      def shortest_timeout #: () -> Numeric
        [timeout, *timeout_for.map(&:last)].min
      end

      # The hard limit of the request that may take longest, in seconds from its start.
      def hard_timeout #: () -> Numeric
        longest_timeout + timeout_cleanup
      end

      # The longest time of a graceful stop, in seconds from the signal: the delay, the clients in the queue, and one
      # more request.
      def longest_stop #: () -> Numeric
        return timeout if single?

        [shutdown_delay, *services.map(&:timeout)].max + timeout + hard_timeout
      end

      # The longest time between two checks of a worker's channel, in seconds: it may wait for a request's head, and
      # serve it. Work after the response may take it as long again.
      def longest_turn #: () -> Numeric
        client_header_timeout + hard_timeout
      end

      # Maximum time for a forked mold to become ready, in seconds: its hooks may prepare what all workers share.
      def mold_timeout #: () -> Numeric
        spawn_timeout * 3
      end

      # Number of requests of one worker after which the next generation is due; nil for never, or when refork_after is
      # no count. The list begins anew with each release; its last count repeats.
      #: (Integer) -> Integer?
      def request_limit(generation)
        index = generation - first_generation.to_i
        (refork_after.fetch(index) { refork_after.last } || nil) if refork_after.is_a?(Array)
      end

      # The same settings for a release that follows one with these others: what holds from the start of the server to
      # its end is as it was.
      #: (Settings, first_generation: Integer) -> Settings
      def following(others, first_generation:)
        kept = others.server_values
        kept[:worker_processes] = others.worker_processes if single?
        with_values(first_generation: first_generation, **kept)
      end

      # Whether this is RACK_ENV development, in which a boot must be fast.
      def development? = environment_name == "development" #: () -> bool

      # Whether a cold mold is warmed up before it serves. Not for paths that are still to be learned.
      def warm_up? = !(warm_up_paths.empty? && hook(:on_warm_up).nil?) #: () -> bool

      # The paths of warm_up_requests that are known.
      def warm_up_paths = warm_up_requests.to_a - [Types::Paths::LEARNED] #: () -> Array[String]

      # Whether the paths that clients request most are to be learned.
      def learns_paths? = warm_up_requests.to_a.include?(Types::Paths::LEARNED) #: () -> bool

      # The same settings with paths that an earlier server has learned.
      #: (Array[String]) -> Settings
      def with_learned_paths(paths)
        with_values(warm_up_requests: [*(warm_up_paths | paths), Types::Paths::LEARNED].freeze)
      end

      # The same settings with another hook.
      #: (Symbol, Proc) -> Settings
      def with_hook(name, hook) = with_values(hooks: { **@hooks, name => hook })

      # The same settings with other paths of the two files.
      #: (rackup: String, config_file: String?) -> Settings
      def with_files(rackup:, config_file:) = with_values(rackup: rackup, config_file: config_file)

      # Whether what workers measure of their requests is kept for the next boot. In development code is loaded anew
      # with every change, and a boot must be fast.
      def keeps_measurement? = gc_profile == :fitted && !development? #: () -> bool

      # Whether an observer is needed.
      def observed? = !(admin_listen || hook(:on_stats)).nil? #: () -> bool

      # Of the proxies whose headers are believed.
      def trusted_networks = trusted_proxies || Types::Networks::PRIVATE #: () -> Array[String]

      # Whether clients of any address are met by the lobby.
      def lobby? = listen.any?(&:lobby?) #: () -> bool

      # Whether the lobby reads bodies to their end. An application that reads its input only once can read it while it
      # arrives.
      def buffers_requests? = request_buffering && rewindable_input #: () -> bool

      # The largest number of guests at once.
      def guest_limit #: () -> Integer
        guests.nil? ? (development? && keep_mold ? 4 : 0) : guests || 0
      end

      # Between which numbers the number of workers is, as far as the configuration says; nil with :auto.
      def worker_bounds #: () -> Range[Integer]?
        return worker_processes..worker_processes unless elastic?

        worker_processes unless worker_processes == :auto
      end

      # Whether the number of workers follows the load.
      def elastic? = !worker_processes.is_a?(Integer) #: () -> bool

      # Whether one process does everything.
      def single? = worker_processes == 0 #: () -> bool

      # The same settings for a server that is one process, whatever worker_processes says.
      def in_one_process #: () -> Settings
        single? ? self : with_values(worker_processes: 0)
      end

      # The same settings for requests that no client has made.
      def without_access_log = with_values(access_log: nil) #: () -> Settings

      # Whether any decision depends on the processes' own measurements of their memory.
      def memory_matters? #: () -> bool
        refork_after == :auto || elastic? || !(worker_memory_limit || cold_boot_after_growth).nil?
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
        values = values.merge(values.slice(*ADDRESSES).transform_values { |list| list&.map(&:to_wire) })
        plain.merge(values: values, origins: @origins, ruby_flags: @ruby_flags.list)
      end

      private

      # Other values of options, or of attributes that travel unchanged.
      def with_values(hooks: @hooks, **changed)
        self.class.new(values: @values.merge(changed.except(*PLAIN)), origins: @origins, hooks: hooks,
          services: services.select(&:name), ruby_flags: @ruby_flags, notes: @notes, **plain, **changed.slice(*PLAIN))
      end

      def plain = PLAIN.to_h { |name| [name, public_send(name)] }

      def service_worker
        return unless @hooks[:before_service_worker_ready]

        ServiceDefinition.new(survives_reforks: false, timeout: timeout).freeze
      end
    end
  end
end
