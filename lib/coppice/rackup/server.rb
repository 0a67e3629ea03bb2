# frozen_string_literal: true

require "coppice/bare_ruby"
require "coppice/config/loader"
require "coppice/log"
require "coppice/log/reopening"
require "coppice/os/pidfile"
require "coppice/rackup/restart_file"
require "coppice/rackup/server_options"
require "coppice/single"
require "coppice/single/warnings"

module Coppice
  module Rackup
    # What a Rack handler runs, in the process of `rackup` or `rails server`, which has loaded the application. In
    # development this process serves that application, with threads. In production it replaces itself by a monitor,
    # which must not have an application in its memory.
    class Server
      #: (Hash[Symbol, untyped]) -> void
      def initialize(options)
        @options = ServerOptions.new(options)
      end

      # Serves until the process is told to stop. Yields what has a method `stop`, where this process serves. Raises
      # Error.
      #: (untyped) ?{ (Single) -> void } -> void
      def run(app, &block)
        @options.directory_left&.then { |directory| Dir.chdir(directory) }
        settings = load_settings
        return replace_process(settings) if replaceable? && !settings.single?

        serve(app, settings, &block)
      end

      # The same for an application that is not loaded yet: returns at once where this process is to load and serve it.
      #: () -> void
      def replace_early
        return unless replaceable?

        settings = load_settings
        return if settings.single?

        Process.daemon(true) if @options.daemonize?
        replace_process(settings)
      end

      private

      def load_settings
        Config::Loader.new(arguments: @options.arguments, default_listen: @options.default_listen).load
      end

      # Without a file nobody else can load the application.
      def replaceable? = !@options.local? && !@options.rackup_file.nil?

      # The process keeps its pid, which a supervisor may know. The monitor has neither gems nor the application.
      def replace_process(settings)
        addresses = settings.listen if settings.origin(:listen) == "default"
        listen = (addresses || []).flat_map { |address| ["-l", address.to_s] }
        $stdout.flush
        OS.stop_timers
        BareRuby.run_instead([*listen, *@options.arguments])
      end

      # Rails' log of requests goes to standard output: lines that are still buffered would come late, or, when the
      # process is replaced, never.
      def serve(app, settings)
        $stdout.sync = true
        Log::Reopening.redirect(settings)
        log = Log.for(settings, role: :single)
        Single::Warnings.new(settings, log).call
        single = Single.new(settings, log: log, app: app)
        yield single if block_given?
        restart = RestartFile.watch { single.stop(restart: true) } if @options.restart_command
        OS::Pidfile.hold((settings.pidfile unless @options.pidfile?)) { single.run }
        return if !restart&.touched? || single.stopped_for_good?

        log.info("restarting", command: @options.restart_command)
        OS.stop_timers
        exec(@options.restart_command)
      end
    end
  end
end
