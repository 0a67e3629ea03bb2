# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/monitor/helper_thread"
require "coppice/monitor/inbox"
require "coppice/monitor/mold_spawner"
require "coppice/monitor/row_pool"
require "coppice/monitor/serving_port"
require "coppice/monitor/supervision"
require "coppice/monitor/system"
require "coppice/monitor/user_hooks"
require "coppice/server"

module Coppice
  # The process that the user started, and the parent of all others. It never loads the application, never forks (it
  # spawns) and never blocks: it waits for signals and messages, has Supervision decide and act, and announces what
  # became of it. Owns the board, the serving port and the inbox; the user ends it.
  class Monitor
    #: (settings: Config::Settings, listeners: Listeners::Set, log: Log, hook_thread: HelperThread) -> void
    def initialize(settings:, listeners:, log:, hook_thread:)
      @settings = settings
      @log = log
      @board = Board.create
      @inbox = Inbox.new
      @port = ServingPort.new(listeners, log)
      server = Server.new(settings: settings, log: log, listener_names: listeners.names)
      @hooks = UserHooks.new(settings: settings, server: server, thread: hook_thread, inbox: @inbox, log: log)
      @hooks.on_exit = -> { @supervision.stop(:gracefully) }
      @supervision = supervision
    end

    # Runs until a stop was asked for and every child has exited; answers the exit status.
    #: () -> Integer
    def run
      begin_service
      turn until @supervision.finished?
      @log.info("monitor exits", status: @supervision.exit_status)
      @supervision.exit_status
    ensure
      @port.close
    end

    private

    def supervision
      system = System.new
      spawner = MoldSpawner.new(settings: @settings, board: @board, port: @port, system: system, log: @log)
      Supervision.new(system: system, board: @board, rows: RowPool.new(@board), port: @port, spawner: spawner,
                      hooks: @hooks, settings: @settings, log: @log)
    end

    def begin_service
      Process.setproctitle("coppice monitor")
      unless OS.become_subreaper || Process.pid == 1
        raise Error, "this system has no subreaper: run one process with --workers 0"
      end

      @board.monitor_pid = Process.pid
      @inbox.open
      @supervision.turn([])
    end

    def turn
      speakers = @inbox.wait(@supervision.roster.handles, @supervision.seconds_until_due)
      @inbox.signals.each { |name| obey(name) }
      @inbox.returned.each(&:call)
      @supervision.turn(speakers)
      announce_readiness
    end

    def obey(name)
      case name
      when :TERM, :QUIT, :HUP then @supervision.stop(:gracefully, delay: @port.open? ? @settings.shutdown_delay : 0)
      when :INT then @supervision.stop(:at_once)
      when :USR2 then @supervision.refork
      when :TTIN then @supervision.resize(+1)
      when :TTOU then @supervision.resize(-1)
      end
    end

    # One line for each generation, when it serves every slot.
    def announce_readiness
      roster = @supervision.roster
      return if @announced == roster.generation || !@port.open? || roster.stopping || !roster.settled?

      @hooks.call(:after_monitor_ready) unless @announced
      @announced = roster.generation
      @log.info("all workers ready", gen: @announced, workers: roster.target)
      GC.start # a quiet moment: what a generation left behind does not make the heap grow
    end
  end
end
