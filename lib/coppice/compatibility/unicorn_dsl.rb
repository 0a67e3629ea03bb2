# frozen_string_literal: true

require "coppice/compatibility/unicorn"
require "coppice/config/dsl"

module Coppice
  module Compatibility
    # The methods of a configuration file for Unicorn: those of Coppice, and Unicorn's own. What has no effect is noted,
    # and the server logs it once.
    class UnicornDsl < Config::Dsl
      HOOKS = { before_fork: :before_fork, after_fork: :after_worker_fork, after_worker_ready: :after_worker_ready,
                after_worker_exit: :after_worker_exit }.freeze
      private_constant :HOOKS

      # Files read this constant under its bare name, as in `listen 8080 unless RACKUP[:set_listener]`.
      RACKUP = Unicorn::RACKUP

      #: (Config::FileValues) -> void
      def initialize(values)
        super
        @coppice_config = {}
      end

      # Adds to the values of a file, which has been evaluated, what Unicorn does without a directive.
      #: (Config::FileValues) -> void
      def self.complete(values)
        values.assume(:timeout, Unicorn::DEFAULT_TIMEOUT, "default of Unicorn")
        hooks = values.hooks.values_at(*HOOKS.values_at(*Unicorn::STARTING_HOOKS)).any?
        seconds = Unicorn.spawn_timeout(values.values[:timeout], hooks: hooks)
        values.assume(:spawn_timeout, seconds, "Unicorn has no limit for hooks") if seconds
      end

      HOOKS.each do |name, target|
        define_method(name) do |*arguments, &block|
          hook = block || arguments.first
          more = name == :before_fork ? [Unicorn::NEXT_WORKER] : []
          @coppice_values.hook(target, [hook && coppice_hook(hook, more)])
        end
      end

      (Unicorn::WITHOUT_EFFECT.keys - [:user]).each do |name|
        define_method(name) { |*arguments, &_block| coppice_ignore(name, arguments) }
      end

      # The option pidfile; also what server.pid and server.config[:pid] are in hooks.
      #: (String?) -> void
      def pid(path)
        @coppice_config[:pid] = path
        pidfile(path)
      end

      # Workers have the monitor's user. As root it is refused to run the application as root by mistake.
      #: (String, ?String?) -> void
      def user(name, _group = nil)
        return if coppice_uid(name) == Process.euid
        return coppice_ignore(:user, [name]) unless Process.euid.zero?

        @coppice_values.refuse("user #{name}: workers run as the user of the server, which is root",
          "Start the server as #{name}")
      end

      # Changes the directory at once, as in Unicorn, when the server starts. A process of a release that was rolled to
      # stays in its own directory, where the symlink need not lead yet.
      #: (String) -> void
      def working_directory(path)
        path = File.expand_path(path)
        directory(path) if coppice_with_symlink?(path)
        return unless @coppice_values.starting?

        @coppice_values.refuse("working_directory #{path} does not exist") unless File.directory?(path)
        coppice_refuse_without_file(path)
        Dir.chdir(path)
        ENV["PWD"] = path
      end

      #: (untyped, ?Hash[Symbol, untyped]) -> void
      def listen(address, options = {})
        super(address, options.reject { |name, _| name == :accept_filter }) # FreeBSD's
      end

      private

      # Only then it says more than the directory itself: where the server finds its next release. Files often derive
      # it from their own place, which is a path of the first release.
      def coppice_with_symlink?(path)
        File.realpath(path) != path
      rescue SystemCallError # it does not exist
        false
      end

      def coppice_refuse_without_file(path)
        file = @coppice_values.file
        return if file.nil? || file.start_with?("/") || File.readable?(File.join(path, file))

        @coppice_values.refuse("working_directory #{path}: #{file} is not there",
          "Give the configuration file with its absolute path")
      end

      def coppice_ignore(name, arguments)
        return if Unicorn::EXPECTED.fetch(name, []).include?(arguments.first)

        @coppice_values.note("#{name} has no effect: #{Unicorn::WITHOUT_EFFECT.fetch(name)}")
      end

      # What the hook of Coppice gets, and more for before_fork.
      def coppice_hook(hook, more)
        config = @coppice_config
        proc { |server, *rest| hook.call(Unicorn::Server.new(server, config), *rest, *more) }
      end

      def coppice_uid(name)
        Process::UID.from_name(name.to_s)
      rescue ArgumentError # there is no such user
        nil
      end
    end
  end
end
