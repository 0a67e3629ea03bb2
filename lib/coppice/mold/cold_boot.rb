# frozen_string_literal: true

require "coppice/board"
require "coppice/child"
require "coppice/child/inheritance"
require "coppice/child/membership"
require "coppice/child/quick_exit"
require "coppice/compatibility"
require "coppice/config/settings"
require "coppice/control/channel"
require "coppice/control/memory_file"
require "coppice/log"
require "coppice/log/plain_line"
require "coppice/mold/app_loader"
require "coppice/os/jit"
require "coppice/os/signals"

module Coppice
  class Mold
    # How a cold mold begins: a fresh process that the monitor spawned with exec, and that has only one channel. The
    # first message tells it its generation; the board and the settings come with it.
    class ColdBoot
      #: (Integer) -> void
      def initialize(descriptor)
        @channel = Control::Channel.for_fd(descriptor)
      end

      # Boots the application and runs as a mold. In the processes forked from it, it runs what they are.
      #: () -> void
      def call
        Child::QuickExit.watch_end
        OS::Signals.begin_child
        @environment = ENV.to_h
        packet = @channel.receive_first or exit(0) # the monitor is gone already
        boot = packet.message
        take(**packet.descriptors)
        row = @board.row(boot.row)
        @membership = Child::Membership.new(role: :mold, purpose: :boot, generation: boot.generation, row: row,
                                            channel: @channel)
        Child.run(Mold.new(inheritance: inherit(boot), membership: @membership))
      rescue ConfigError => error # the file was good when the monitor read it
        @membership&.report_failure(error)
        abort Log::PlainLine.of(error.message)
      end

      private

      def take(board:, settings:)
        @board = Board.attach(board.fileno)
        @settings = Control::MemoryFile.read(settings)
        [board, settings].each(&:close)
      end

      def inherit(boot)
        # Values come from the monitor. Hooks and logger come from reading the file again, beside the application's
        # classes.
        settings = Config::Settings.evaluate_in_mold(@settings)
        log = Log.for(settings, role: :mold, generation: boot.generation).follow(@board)
        changed = settings.config_changed?
        log.warn("the file has changed since the server was started", config: settings.config_file) if changed
        Info.attach(board: @board, row: @membership.row) # initializers ask for workers_count
        Compatibility.configure(settings, listener_names: boot.listener_names)
        Child::Inheritance.build(app: load_app(settings, log), settings: settings, log: log, board: @board,
                                 listener_names: boot.listener_names, listener_options: boot.listener_options,
                                 environment: @environment)
      end

      def load_app(settings, log)
        Process.setproctitle("coppice mold - loading #{settings.rackup}")
        started = OS::Clock.now
        app = while_parent_lives { AppLoader.new(settings).call }
        ready_compiler(settings.jit, log)
        warn_of_pitchfork(log) if Compatibility.gem_loaded?
        log.info("application loaded", rackup: settings.rackup, seconds: (OS::Clock.now - started).round(2),
                                       jit: jit(settings.jit))
        app
      rescue SystemExit => error
        log.error("the application called exit while it was loaded", status: error.status)
        @membership.report_failure(error)
        raise
      rescue BootError => error
        log.exception(error.message, error.cause || error)
        @membership.report_failure(error.cause || error)
        exit(1)
      end

      def warn_of_pitchfork(log)
        log.warn("the gem pitchfork is loaded: Pitchfork::Info.no_longer_fork_safe! does not reach this server. " \
                 "Remove the gem from the Gemfile, or call Coppice::Info")
      end

      # Not earlier: what runs at boot is not what is worth compiling.
      def ready_compiler(jit, log)
        OS::JIT.turn_on if jit == :all
        log.warn("this Ruby has no YJIT to turn on", jit: jit) if OS::JIT.lacking?(jit)
      end

      # Loading may hang forever, and no code reads the channel meanwhile. So the kernel sends TERM when the monitor
      # dies, and the monitor sends it after a Stop message. Any other TERM may have been sent to all processes of the
      # server.
      def while_parent_lives
        OS.parent_death_signal(Signal.list.fetch("TERM"))
        trap(:INT) { exit!(0) }
        trap(:TERM) { @channel.receive == :empty ? report_term : raise(SignalException, "TERM") }
        yield
      ensure
        OS.parent_death_signal(0)
      end

      def report_term = @channel.send(Control::Messages::SignalReceived.new(name: :TERM))

      def jit(setting)
        return "yjit" if OS::JIT.on?

        setting == :lead && OS::JIT.available? ? "yjit in the lead worker" : "off"
      end
    end
  end
end
