# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/control/memory_file"
require "coppice/gc_profile/fit"
require "coppice/gc_profile/measurement"
require "coppice/mold_environment"
require "coppice/monitor/helper_thread"
require "coppice/monitor/inbox"
require "coppice/monitor/row_pool"
require "coppice/monitor/supervision"
require "coppice/monitor/system"
require "coppice/server"

module Coppice
  # The parent of every other process. Runs in the monitor, the process that the user
  # started. It never loads the application, never forks (it spawns) and never waits
  # for anybody: it takes what has come in, lets pure objects decide, and has Actions
  # carry it out. Owns the listeners, the board and one end of every child's channel;
  # the user ends it.
  class Monitor
    #: (settings: untyped, listeners: Listeners::Set, log: Log, hooks: HelperThread) -> void
    def initialize(settings:, listeners:, log:, hooks:)
      @settings = settings
      @listeners = listeners
      @log = log
      @hooks = hooks
      @board = Board.create
      @settings_file = Control::MemoryFile.write(settings.to_wire, name: "coppice-settings")
      @inbox = Inbox.new
      @supervision = Supervision.new(monitor: self, system: System.new, rows: RowPool.new(@board), settings: settings, log: log)
      @server = Server.new(settings: settings, log: log, listener_names: listeners.names)
      @status = 0
    end

    # Runs until a stop was asked for and everybody has left; answers the exit status.
    #: () -> Integer
    def run
      begin_service
      turn until @supervision.finished?
      @log.info("monitor leaves", status: @status)
      @status
    ensure
      @listeners.close
    end

    # Of use to the parts of the monitor:

    #: () -> Array[String]
    def listener_names = @listeners.names

    #: (Integer) -> Array[IO]
    def listeners_for(nr)
      @listeners.queues_for(nr, workers: @supervision.roster.target).map { |descriptor| IO.for_fd(descriptor, autoclose: false) }
    end

    # Nobody new can come from now on. Workers have the queues too, and see to those who wait.
    #: () -> void
    def refuse_clients
      @listening ? @listeners.drain : @listeners.close
    end

    # Whether somebody else goes on listening on one of the listeners at least.
    #: () -> bool
    def borrowed_queues? = @listeners.any?(&:borrowed?)

    # Whether clients who wait now would meet our successor.
    #: () -> bool
    def queues_stay? = @listeners.all?(&:borrowed?)

    # What a cold mold is spawned with: read anew each time, so that a profile that was written meanwhile counts. One that
    # is no good ends the server only at its start.
    #: () -> MoldEnvironment
    def mold_environment
      @mold_environment = MoldEnvironment.new(@settings, fitted: @fitted)
    rescue ConfigError => error
      raise unless @mold_environment

      @log.error("the environment of molds stays as it was", error: error.message)
      @mold_environment
    end

    # For the cold molds from now on: parameters that fit what a worker has measured, as its row has it.
    #: (String) -> void
    def fit(allocations)
      @supervision.roster.unfitted = false # there is one try
      fit = GCProfile::Fit.new(GCProfile::Measurement.parse(allocations))
      @fitted = fit.variables
      @log.info("fitted the garbage collector, and boot once more; `coppice profile` keeps it for the next start",
                measured: allocations, requests_per_collection: fit.requests_per_collection)
    rescue ArgumentError => error # the application shares memory with the row
      @log.error("a worker's measurement cannot be read", error: error.message)
    end

    # What a cold mold gets with its first message: the board and the settings.
    #: () -> Array[IO]
    def boot_files = [IO.for_fd(@board.fileno, autoclose: false), @settings_file]

    #: (Integer) -> void
    def workers_wanted(count)
      @board.workers_count = count
    end

    #: (Integer) -> void
    def generation_committed(generation)
      @board.generation = generation
    end

    # Only now may clients connect: a health check never meets a server that boots.
    #: () -> void
    def worker_ready
      return if @listening || @supervision.roster.stopping

      @listening = true
      @listeners.listen!
      @log.info("listening", on: listener_names.join(" "))
    end

    #: (Handle, Process::Status?) -> void
    def child_ended(handle, status)
      call_hook(:after_worker_exit, handle, status) if handle.worker? && status
    end

    # Yields the signal that ends an overdue child. What the user may have to say about
    # it, a hook that wants a look at the worker first or a block that chooses the signal,
    # is asked for on the helper thread; the watchdog ends the child a second later in any case.
    #: (Handle, Symbol) { (Symbol | Integer) -> void } -> void
    def ending(handle, reason, &ending)
      asked = reason == :request_timeout && @settings.hook(:after_worker_hard_timeout)
      return yield(@settings.timeout_signal) unless asked || @settings.timeout_signal.respond_to?(:call)

      call_hook(:after_worker_hard_timeout, handle) if asked
      @hooks.post do
        name = chosen_signal(handle.pid)
        @inbox.hand_back { ending.call(name) }
      end
    end

    # The exit status tells; children leave as they would for TERM.
    #: (String) -> void
    def give_up(reason)
      @log.fatal("giving up", why: reason) if @status.zero?
      @status = 1
      stop(:gracefully)
    end

    private

    def begin_service
      Process.setproctitle("coppice monitor")
      raise Error, "this system has no subreaper: run one process with --workers 0" unless OS.become_subreaper || Process.pid == 1

      @supervision.roster.unfitted = worth_fitting?
      @board.monitor_pid = Process.pid
      @board.workers_count = @supervision.roster.target
      @inbox.open
      @supervision.turn([])
    end

    # A second boot, once what was warmed up was measured.
    def worth_fitting? = @settings.warm_up? && !@settings.development? && MoldEnvironment.new(@settings).unfitted?

    def turn
      speakers = @inbox.wait(@supervision.roster.handles, @supervision.patience)
      @inbox.signals.each { |name| obey(name) }
      @inbox.returned.each(&:call)
      @supervision.turn(speakers)
      announce_readiness
    end

    def obey(name)
      case name
      when :TERM, :QUIT, :HUP then stop(:gracefully, delay: @listening ? @settings.shutdown_delay : 0)
      when :INT then stop(:at_once)
      when :USR2 then @supervision.refork
      when :TTIN then workers_wanted(@supervision.resize(+1))
      when :TTOU then workers_wanted(@supervision.resize(-1))
      end
    end

    def stop(how, delay: 0)
      @board.shutting_down = 1
      @supervision.stop(how, delay: delay)
    end

    # One line for each generation, when every slot is served by it.
    def announce_readiness
      roster = @supervision.roster
      return if @announced == roster.generation || !@listening || roster.stopping || !roster.settled?

      call_hook(:after_monitor_ready) unless @announced
      @announced = roster.generation
      @log.info("all workers ready", gen: @announced, workers: roster.target)
      GC.start # a quiet moment: what a generation left behind does not make the heap grow
    end

    # On the helper thread: the user's code may block, and may raise.
    def call_hook(name, *arguments)
      hook = @settings.hook(name) or return
      @hooks.post do
        hook.call(@server, *arguments)
      rescue StandardError, ScriptError => error # the user's: logged, and nothing else happens
        @log.exception("#{name} failed", error)
      rescue SystemExit
        @inbox.hand_back { stop(:gracefully) } # `exit` on this thread would end only the thread
      end
    end

    # The block is the user's: an error in it, or a name that is none, means KILL.
    def chosen_signal(pid)
      name = @settings.timeout_signal_for(pid)
      Signal.list.key?(name.to_s.delete_prefix("SIG")) || Signal.list.value?(name) ? name : :KILL
    rescue StandardError, ScriptError => error
      @log.exception("timeout_signal failed", error)
      :KILL
    end
  end
end
