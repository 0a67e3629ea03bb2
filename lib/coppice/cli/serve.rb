# frozen_string_literal: true

require "coppice"
require "coppice/compatibility"
require "coppice/config/loader"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/monitor"
require "coppice/monitor/helper_thread"

module Coppice
  class CLI
    # `coppice [serve]`: becomes the monitor of a family of processes. Runs in the
    # monitor.
    class ServeCommand
      LAST_HOOKS = 5 # seconds that hooks have which are still queued when everybody has left
      LAST_LINES = 2 # and lines of the log, where nobody reads them

      #: (Array[String]) -> void
      def initialize(arguments)
        @arguments = arguments
      end

      # Serves until told to stop; answers the exit status. Raises Error for what is
      # wrong at the start, before any process was made.
      #: () -> Integer
      def run
        settings = Config::Loader.new(arguments: @arguments, environment: ENV, directory: Dir.pwd).load
        return single if settings.single?

        writer = Monitor::HelperThread.new
        hooks = Monitor::HelperThread.new
        serve(settings, writer, hooks)
      ensure
        hooks&.finish(LAST_HOOKS)
        writer&.finish(LAST_LINES)
      end

      private

      def serve(settings, writer, hooks)
        log = Log.for(settings, role: :monitor) { |output| writer.log_output(output) }
        listeners = Listeners::Set.bind(settings.listen, takeover_wait: settings.hard_timeout, logger: log)
        Compatibility.enter(settings, listener_names: listeners.names)
        greet(log, settings, listeners)
        Monitor.new(settings: settings, listeners: listeners, log: log, hook_thread: hooks).run
      end

      # One process, with RubyGems, since it loads the application itself.
      def single
        require "rbconfig"
        exec(RbConfig.ruby, EXECUTABLE, "single", *@arguments)
      end

      def greet(log, settings, listeners)
        log.info("Coppice #{VERSION}", ruby: RUBY_VERSION, environment: settings.environment_name,
                                       config: settings.config_file || "none", listen: listeners.names.join(" "),
                                       workers: settings.worker_processes, reforking: reforking(settings))
      end

      def reforking(settings)
        return "on, when it pays" if settings.refork_after == :auto
        return "on, after #{settings.refork_after.map { |count| count || 'no more' }.join(', ')} requests" if settings.refork_after

        "on USR2 only: refork_after is not set"
      end
    end
  end
end
