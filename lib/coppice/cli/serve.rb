# frozen_string_literal: true

require "coppice"
require "coppice/config/loader"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/monitor"
require "coppice/monitor/helper_thread"
require "coppice/monitor/posted_log"

module Coppice
  class CLI
    # `coppice [serve]`: becomes the monitor of a family of processes. Runs in the
    # monitor.
    class Serve
      #: (Array[String]) -> void
      def initialize(arguments)
        @arguments = arguments
      end

      # Serves until told to stop; answers the exit status. Raises Error for what is
      # wrong at the start, before any process was made.
      #: () -> Integer
      def run
        settings = Config::Loader.new(arguments: @arguments, environment: ENV, directory: Dir.pwd).load
        return single if settings.worker_processes.zero?

        helper = Monitor::HelperThread.new
        serve(settings, helper)
      ensure
        helper&.finish(2)
      end

      private

      def serve(settings, helper)
        log = Monitor::PostedLog.new(Log.for(settings, role: :monitor), helper)
        listeners = Listeners::Set.bind(settings.listen, patience: settings.hard_timeout, logger: log)
        greet(log, settings, listeners)
        Monitor.new(settings: settings, listeners: listeners, log: log, helper: helper).run
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
