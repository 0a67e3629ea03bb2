# frozen_string_literal: true

require "coppice"
require "coppice/cli/banner"
require "coppice/cli/first_stderr"
require "coppice/cli/server_settings"
require "coppice/cli/warnings"
require "coppice/compatibility"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/log/reopening"
require "coppice/monitor/act/knowledge"
require "coppice/monitor/act/mold_spawner"
require "coppice/monitor/context"
require "coppice/monitor/door/control_server"
require "coppice/monitor/kernel/helper_thread"
require "coppice/monitor/kernel/system"
require "coppice/monitor/rolls/releases"
require "coppice/os/pidfile"
require "coppice/os/service_manager"
require "coppice/os/signals"
require "coppice/os/standard_streams"

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

      # Serves until it is told to stop; returns the exit status. Raises Error for a mistake that shows before the first
      # process is spawned.
      def run #: () -> Integer
        OS::Signals.outlive_file_size_limit
        @started_with = ENV.to_h
        settings, = ServerSettings.load(@arguments)
        return single if settings.single? || !OS.supervises?

        check_requirements
        @variables = OS::ServiceManager.take_variables(ENV)
        writer = Monitor::HelperThread.new
        hooks = Monitor::HelperThread.new
        FirstStderr.watch { |first_stderr| serve(settings, writer, hooks, first_stderr) }
      ensure
        hooks&.finish(HOOKS_TIMEOUT)
        writer&.finish(LOG_TIMEOUT)
      end

      private

      def serve(settings, writer, hooks, first_stderr)
        Log::Reopening.redirect(settings)
        OS::StandardStreams.unbuffer
        log = Log.for(settings, role: :monitor) { |output| writer.log_output(output) }
        knowledge = knowledge(settings, log)
        settings = settings.with_learned_paths(knowledge.learned) if settings.learns_paths?
        control = Monitor::ControlServer.bind(settings, log)
        listeners, admin = bind(settings, log)
        Compatibility.configure(settings, listener_names: listeners.names)
        announce(log, writer, settings, Banner.new(settings, listeners.names_with_options))
        warn_of(settings, log)
        outside = outside(settings, knowledge, log)
        OS::Pidfile.hold(settings.pidfile) do
          outside.molds.spawn_ahead(outside.releases.first)
          monitor = monitor(outside, listeners: listeners, admin_listeners: admin, control: control,
                                     helper_threads: { hooks: hooks, log: writer })
          first_stderr.close
          monitor.run
        end
      ensure
        [listeners, admin, control, outside&.molds].compact.each(&:close)
      end

      def outside(settings, knowledge, log)
        system = Monitor::System.new.raise_descriptor_limit
        molds = Monitor::MoldSpawner.new(system: system, knowledge: knowledge, log: log)
        releases = releases(settings, knowledge, log)
        Monitor::Context.new(system: system, releases: releases, molds: molds, knowledge: knowledge, log: log)
      end

      # Half of its code is loaded only now, while the mold loads the application.
      def monitor(outside, **parts)
        require "coppice/monitor"
        Monitor.new(outside, **parts, service_manager: OS::ServiceManager.new(@variables))
      end

      # A sandbox (a seccomp filter, gVisor) may deny on Linux as well what worker processes need.
      def check_requirements
        IO.for_fd(OS.memory_file("coppice-probe")).close
      rescue SystemCallError => error
        raise Error, "worker processes share memory by memfd_create(2), which this system refuses " \
                     "(#{error.message}). Allow it, or serve in one process: --workers 0"
      end

      def releases(settings, knowledge, log)
        started_with = @started_with.reject { |name, _| @variables.key?(name) }
        Monitor::Releases.new(Release.first(settings), arguments: @arguments, environment: started_with,
                                                       knowledge: knowledge, log: log)
      end

      def knowledge(settings, log)
        measures = Monitor::Knowledge.measures?(settings, Dir.pwd)
        Monitor::Knowledge.new(State.of(settings), log: log, measures: measures, learns: settings.learns_paths?,
                                                  price: settings.memory_price)
      end

      def bind(settings, log)
        listeners = Listeners::Set.bind(settings.listen, environment: @variables, takeover_wait: settings.hard_timeout,
                                                         logger: log)
        admin = Listeners::Set.bind(settings.admin_listen || [], environment: @variables, beside: listeners,
                                                                 setting: "admin_listen", logger: log)
        Listeners::Activation.new(@variables).warn_of_unused([*listeners, *admin], log)
        [listeners, admin]
      rescue BindError
        listeners&.close
        raise
      end

      # Restarts with RubyGems as one process, which loads the application itself. A monitor without child
      # processes has no other way. It reads the configuration anew, and so has to know whether RACK_ENV was set.
      def single
        require "rbconfig"
        exec({ "RACK_ENV" => @started_with["RACK_ENV"] }, RbConfig.ruby, EXECUTABLE, "single", *@arguments)
      end

      def warn_of(settings, log)
        Warnings.new(settings, ENV.to_h.merge(@variables)).to_a.each { |warning| log.warn(warning) }
        settings.notes.each { |note| log.warn("questionable configuration", why: note) }
      end

      # Through the thread that writes the log: a terminal may be stopped (Ctrl-S).
      def announce(log, writer, settings, banner)
        watched = settings.logger.nil? && Log::Output.for_people?($stderr, format: settings.log_format)
        return log.info(banner.title, **banner.fields) unless watched && log.info?

        text = banner.text(Terminal.new($stderr))
        writer.post { $stderr.write(text) }
      end
    end
  end
end
