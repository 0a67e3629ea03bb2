# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/hook_context"
require "coppice/monitor/act/log_reopening"
require "coppice/monitor/door/control_commands"
require "coppice/monitor/door/control_server"
require "coppice/monitor/door/service_notifications"
require "coppice/monitor/kernel/helper_thread"
require "coppice/monitor/kernel/inbox"
require "coppice/monitor/kernel/missed_time"
require "coppice/monitor/kernel/row_pool"
require "coppice/monitor/kernel/serving_port"
require "coppice/monitor/kernel/user_hooks"
require "coppice/monitor/lobby/lobby_spawner"
require "coppice/monitor/observer/observer_spawner"
require "coppice/monitor/supervision"

module Coppice
  # The process that the user started, and the parent of all others. It never loads the application, never forks (it
  # spawns) and never blocks: it waits for signals and messages, has Supervision decide and act, and announces what
  # became of it. Owns the board, the serving port, the control server and the inbox; the user ends it.
  class Monitor
    # What each signal asks for, as the commands of the control socket do (ControlCommands).
    ORDERS = {
      TERM: ->(supervision) { supervision.operations.stop_gracefully },
      QUIT: ->(supervision) { supervision.operations.stop_gracefully },
      HUP: ->(supervision) { supervision.operations.stop_gracefully },
      INT: ->(supervision) { supervision.operations.stop(:at_once) },
      USR1: ->(supervision) { supervision.rolls.roll_by_signal },
      USR2: ->(supervision) { supervision.operations.refork },
      TTIN: ->(supervision) { supervision.operations.resize(+1) },
      TTOU: ->(supervision) { supervision.operations.resize(-1) }
    }.freeze

    # outside: system, releases, molds, knowledge and log. admin_listeners: those of the observer. helper_threads: for
    # :hooks and :log.
    #: (Context, listeners: Listeners::Set, admin_listeners: Listeners::Set, control: ControlServer,
    #    service_manager: OS::ServiceManager, helper_threads: Hash[Symbol, HelperThread]) -> void
    def initialize(outside, listeners:, admin_listeners:, control:, service_manager:, helper_threads:)
      @releases = outside.releases
      @settings = settings = @releases.first.settings
      @log = log = outside.log
      @knowledge = outside.knowledge
      @board = Board.create
      log.follow(@board)
      Info.attach(board: @board, row: nil) # for the user's hooks
      @inbox = Inbox.new
      @missed_time = MissedTime.new
      @port = ServingPort.new(listeners, log, lobby: lobby?)
      context = HookContext.new(settings: settings, log: log, listener_names: listeners.names)
      @hooks = UserHooks.new(settings: settings, context: context, thread: helper_threads.fetch(:hooks), inbox: @inbox,
                             log: log)
      @hooks.on_exit = -> { @supervision.operations.stop(:gracefully) }
      @supervision = supervision(outside, admin_listeners)
      @supervision.roster.children.on_add = @inbox.method(:watch)
      @rolls = @supervision.rolls
      @service_manager = service_manager
      @notifications = ServiceNotifications.new(service_manager, roster: @supervision.roster, port: @port)
      @control = control
      @control.commands = ControlCommands.new(supervision: @supervision, board: @board, settings: settings,
                                              reopening: LogReopening.new(@inbox, helper_threads.fetch(:log), log: log,
                                                                          access_log: settings.access_log))
    end

    # Runs until a stop was asked for and every child has exited; returns the exit status.
    #: () -> Integer
    def run
      begin_service
      turn until @supervision.finished?
      @log.info("monitor exits", status: @supervision.exit_status)
      @control.advance # tells who waits for the end
      @supervision.exit_status
    ensure
      @rolls.close
      @supervision.roster.handshakes.close
      @knowledge.finish
      @service_manager.close
      @port.close
      @observers.close
      @control.close
      @inbox.close
    end

    private

    def supervision(outside, admin_listeners)
      system = outside.system
      @observers = ObserverSpawner.new(board: @board, listeners: admin_listeners, system: system)
      lobbies = LobbySpawner.new(settings: @settings, board: @board, port: @port, system: system, log: @log)
      Supervision.new(Context.new(**outside.to_h, board: @board, rows: RowPool.new(@board), port: @port,
                                                  observers: @observers, lobbies: lobbies, hooks: @hooks))
    end

    # Whether there can be a lobby, if the configuration asks for one.
    def lobby?
      return false unless @settings.lobby?

      obstacle = LobbySpawner.obstacle
      @log.warn("no lobby: workers accept all clients themselves", why: obstacle) if obstacle
      obstacle.nil?
    end

    def begin_service
      Process.setproctitle(Roles::MONITOR_TITLE)
      unless OS.become_subreaper || Process.pid == 1
        raise Error, "this system has no subreaper: run one process with --workers 0"
      end

      @board.introduce(listeners: @port.description, services: @settings.service_names, next_release: @releases.name)
      @inbox.open(ORDERS.keys)
      @observers.open
      @supervision.turn
      @supervision.learn([]) # the mold that was spawned ahead may have exited before its CHLD could be noted
    end

    def turn
      seconds = [@supervision.seconds_until_due, @notifications.longest_wait].min
      readable = @inbox.wait(seconds, readers: readers, writers: @control.writers)
      make_up_for_missed_time
      @inbox.signals.each { |name| ORDERS.fetch(name).call(@supervision) }
      @inbox.returned.each(&:call)
      @supervision.learn(readable, signalled: @inbox.child_exited?)
      @control.accept
      @control.advance
      @supervision.turn
      @control.advance # so that what was asked for is decided in this turn, and what became of it is said
      @notifications.turned(OS::Clock.now)
      announce_readiness
    end

    def readers = @control.readers + @rolls.readers + @supervision.roster.handshakes.readers

    def make_up_for_missed_time
      seconds = @missed_time.since_last_look(OS::Clock.now)
      return if seconds.zero?

      @log.warn("monitor did not run, deadlines postponed", seconds: seconds.round(1))
      MissedTime.make_up(@supervision.roster, seconds)
    end

    # One line for each generation, when it serves every slot.
    def announce_readiness
      roster = @supervision.roster
      return if @announced == roster.generation || !@port.open? || roster.stopping || !roster.settled?

      @hooks.call(:after_monitor_ready) unless @announced
      tidy_heap
      @announced = roster.generation
      @log.info("all workers ready", gen: @announced, workers: roster.target)
    end

    # In a quiet moment, so that what a generation left behind does not make the heap grow. What the start left behind
    # lies between objects that stay: from Ruby 3.3 on they are moved together, and a megabyte goes back to the system.
    def tidy_heap
      @announced || !Process.respond_to?(:warmup) ? GC.start : Process.warmup
    end
  end
end
