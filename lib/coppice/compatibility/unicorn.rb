# frozen_string_literal: true

module Coppice
  module Compatibility
    # What of Unicorn a configuration of its users needs. `coppice -c config/unicorn.rb` evaluates the file with a
    # UnicornDsl; `coppice import` translates it.
    module Unicorn
      # Directives that have no effect, each with the reason.
      WITHOUT_EFFECT = {
        before_exec: "nothing is replaced by exec",
        default_middleware: "the server adds no middleware: write it in config.ru",
        preload_app: "the application is always loaded before the fork",
        user: "start the server as that user",
        worker_exec: "workers are always forks"
      }.freeze

      # In seconds, where the file sets none.
      DEFAULT_TIMEOUT = 60

      # Its hooks that run before a worker serves.
      STARTING_HOOKS = %i[before_fork after_fork after_worker_ready].freeze

      # What the flags of Unicorn's command line have set when it reads a file. Here they never set anything.
      RACKUP = {
        daemonize: false, host: "0.0.0.0", port: 8080, set_listener: false, options: { listeners: [].freeze }.freeze
      }.freeze

      # Values of them that are no reason to warn.
      EXPECTED = { default_middleware: [false], preload_app: [true], worker_exec: [false] }.freeze

      # The spawn_timeout of a file with this timeout; nil without hooks that run before a worker serves. Unicorn has no
      # limit for these.
      #: (Numeric, hooks: bool) -> Numeric?
      def self.spawn_timeout(timeout, hooks:)
        [timeout, DEFAULT_TIMEOUT].max if hooks
      end

      # Defines the constants that configurations set, while the block runs. Afterwards they are gone: applications and
      # libraries take them for a sign that Unicorn is the server.
      #: [T] () { () -> T } -> T
      def self.standing_in
        return yield if defined?(::Unicorn)

        begin
          Object.const_set(:Unicorn, constants)
          yield
        ensure
          Object.send(:remove_const, :Unicorn)
        end
      end

      def self.constants
        server = Class.new.tap { |one| one.const_set(:START_CTX, {}) }
        configurator = Class.new.tap { |one| one.const_set(:RACKUP, RACKUP.dup) }
        Module.new.tap do |unicorn|
          unicorn.const_set(:HttpServer, server)
          unicorn.const_set(:Configurator, configurator)
        end
      end
      private_class_method :constants

      # The first argument of a hook that was written for Unicorn: the HookContext, and what it lacks.
      class Server
        attr_reader :pid    #: String?  the path of the pid file
        attr_reader :config #: Hash[Symbol, untyped]

        #: (HookContext, Hash[Symbol, untyped]) -> void
        def initialize(context, config)
          @context = context
          @config = config
          @pid = config[:pid]
        end

        # Unicorn's way to give a worker an address of its own.
        #: (String | Integer, ?Hash[Symbol, untyped]) -> void
        def listen(address, _options = {})
          logger.warn("server.listen has no effect in a hook: write listen on its own line (#{address})")
        end

        def method_missing(name, ...)
          @context.respond_to?(name) ? @context.public_send(name, ...) : super
        end

        def respond_to_missing?(name, _include_private = false) = @context.respond_to?(name) || super
      end

      # The second argument of before_fork. Which worker will be forked is not known to the process that forks it.
      NextWorker = Struct.new(:nr)
      NEXT_WORKER = NextWorker.new(0).freeze
    end
  end
end
