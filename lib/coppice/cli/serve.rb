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
    # `coppice [serve]`: binds the listeners and becomes the monitor.
    class ServeCommand
      HOOKS_TIMEOUT = 5 # seconds for hooks that are still queued when all children have exited
      LOG_TIMEOUT = 2 # seconds for queued log lines, when the reader of the log is stuck

      #: (Array[String]) -> void
      def initialize(arguments)
        @arguments = arguments
      end

      # Serves until it is told to stop; answers the exit status. Raises Error for a mistake that shows before the first
      # process is spawned.
      def run #: () -> Integer
        settings = Config::Loader.new(arguments: @arguments, environment: ENV, directory: Dir.pwd).load
        return single if settings.single? || !OS.supervises?

        writer = Monitor::HelperThread.new
        hooks = Monitor::HelperThread.new
        serve(settings, writer, hooks)
      ensure
        hooks&.finish(HOOKS_TIMEOUT)
        writer&.finish(LOG_TIMEOUT)
      end

      private

      def serve(settings, writer, hooks)
        log = Log.for(settings, role: :monitor) { |output| writer.log_output(output) }
        listeners = Listeners::Set.bind(settings.listen, takeover_wait: settings.hard_timeout, logger: log)
        Compatibility.enter(settings, listener_names: listeners.names)
        log_start(log, settings, listeners)
        Monitor.new(settings: settings, listeners: listeners, log: log, hook_thread: hooks).run
      end

      # Restarts with RubyGems as one process, which loads the application itself. A monitor without child
      # processes has no other way.
      def single
        require "rbconfig"
        exec(RbConfig.ruby, EXECUTABLE, "single", *@arguments)
      end

      def log_start(log, settings, listeners)
        log.info("Coppice #{VERSION}", ruby: RUBY_VERSION, environment: settings.environment_name,
          config: settings.config_file || "none", listen: listeners.names.join(" "),
          workers: settings.worker_processes, reforking: reforking(settings))
      end

      def reforking(settings)
        case counts = settings.refork_after
        when nil then "on USR2 only: refork_after is not set"
        when :auto then "on, when it pays"
        else "on, after #{counts.map { |count| count || 'no more' }.join(', ')} requests"
        end
      end
    end
  end
end
