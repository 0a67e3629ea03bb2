# frozen_string_literal: true

require "coppice"
require "forwardable"
require "io/wait"
require "coppice/board"
require "coppice/child/inheritance"
require "coppice/child/membership"
require "coppice/compatibility"
require "coppice/config/settings"
require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/mold/app_loader"
require "coppice/os/jit"
require "coppice/os/service_manager"
require "coppice/os/signals"
require "coppice/threaded_server"

module Coppice
  # `worker_processes 0`: everything in one process that forks nothing and serves with a few threads, for development,
  # debuggers and breakpoints. It is worker 0 for the hooks, has no monitor, and calls after_monitor_ready itself. On a
  # system that is not Linux nothing else is possible, whatever worker_processes says.
  class Single
    extend Forwardable

    # The hooks that it calls.
    HOOKS = %i[after_worker_fork after_worker_ready after_monitor_ready after_request_complete before_worker_exit]
            .freeze

    # app: an application that this process has loaded. Without it, `run` loads the one of the settings.
    #: (Config::Settings, log: Log, ?app: untyped) -> void
    def initialize(settings, log:, app: nil)
      @settings = settings.in_one_process
      @log = log
      @app = app
      @variables = OS::ServiceManager.take_variables(ENV)
      @service_manager = OS::ServiceManager.new(@variables)
      OS::Signals.outlive_file_size_limit
      @board = Board.create
      @told_to_stop, @teller = IO.pipe
      @stopped_for_good = false
    end

    # What hooks and applications ask of a worker.
    def_delegators :@membership, :nr, :generation, :pid, :requests_count, :worker?, :mold?, :service?, :to_log

    # Serves until the process is told to stop, by a signal or by `stop`. Ctrl-C ends it at once, and `run` returns as
    # well. The block is called when clients are served. Raises BindError, and BootError for an application that cannot
    # be loaded.
    #: () ?{ () -> void } -> void
    def run(&ready)
      ForkSafety::StrayCopy.adopt # hooks are called before the ThreadedServer is started
      listeners = Listeners::Set.bind(@settings.listen, environment: @variables)
      # An application that is loaded already may have taken some for itself.
      Listeners::Activation.new(@variables).warn_of_unused(listeners, @log) unless @app
      inheritance = inherit(listeners)
      @board.introduce(listeners: listeners.description)
      listeners.listen!
      @board.state = Board::SERVER_STATES.index("serving")
      @log.info("listening", on: listeners.names_with_options.join(" "))
      Info.keep_ios(listeners.flat_map(&:sockets))
      become_worker(inheritance)
      serve_until_stopped(listeners, ready)
    rescue Interrupt
      @stopped_for_good = true
      @log.info("interrupted")
    ensure
      @server&.stop(0)
      listeners&.close
    end

    # Serves the requests in flight, then `run` returns. A thread or a signal handler calls it: the pipe wakes the main
    # thread, which a signal handler cannot do by a lock. restart: whether the caller starts the server again, unless it
    # is stopped for good meanwhile.
    #: (?restart: bool) -> void
    def stop(restart: false)
      @stopped_for_good = true unless restart
      @teller.write_nonblock(".", exception: false)
    end

    # Whether somebody has stopped it, by a signal, by Ctrl-C or by `stop`, who did not ask for a restart.
    def stopped_for_good? = @stopped_for_good #: () -> bool

    private

    def inherit(listeners)
      Compatibility.configure(@settings, listener_names: listeners.names)
      Child::Inheritance.build(app: @app || Mold::AppLoader.new(@settings).call, settings: @settings, log: @log,
                               board: @board, listener_names: listeners.names)
    end

    def become_worker(inheritance)
      @membership = membership
      @membership.join(inheritance)
      @inheritance = inheritance.in_process_of(@membership)
      @log = @inheritance.log_of(@membership)
      stop_on_signals
      call_hook(:after_worker_fork)
      call_hook(:after_worker_ready)
      OS::JIT.turn_on if @settings.jit == :lead
    end

    def membership
      @board.workers_count = @board.workers_least = @board.workers_most = @board.rows_count = @board.slots_count = 1
      row = @board.row(0)
      Child::Membership.without_monitor(role: :worker, row: row).tap { row.forked_ms = OS::Clock.now_ms }
    end

    # Ctrl-C does everything that Ruby does at the end of a program, and Ctrl-Z stops the process. HUP comes when the
    # terminal is closed.
    def stop_on_signals
      Info.keep_ios([@told_to_stop, @teller])
      OS::Signals.install(HUP: -> { stop })
      OS::Signals.stop_by { stop }
      %i[INT TSTP].each { |name| trap(name, "DEFAULT") }
    end

    def serve_until_stopped(listeners, ready)
      https = listeners.select { |listener| listener.address.https? }
      @server = ThreadedServer.new(@inheritance.app, listeners: listeners.flat_map(&:sockets),
                                   https: https.flat_map(&:sockets), settings: @settings, log: @log,
                                   worker: self, row: @membership.row) { |env| request_finished(env) }
      @server.start
      ready&.call
      @membership.ready
      @service_manager.notify(["READY=1", "STATUS=serving with one process"])
      @membership.status = "ready"
      call_after_monitor_ready if @settings.hook(:after_monitor_ready)
      @told_to_stop.wait_readable
      finish
    end

    def finish
      @membership.status = "exiting"
      @service_manager.notify(["STOPPING=1", "STATUS=stopping"])
      @server.stop(@settings.timeout) or @log.warn("requests in flight were cut off", after: @settings.timeout)
      call_hook(:before_worker_exit)
      @log.debug("worker exits", requests: requests_count)
    end

    # On a thread of its own, as in a monitor: it may take long, and must not hold up the end.
    def call_after_monitor_ready
      Thread.new do
        call_bearing_errors(:after_monitor_ready)
      rescue SystemExit
        stop
      end
    end

    # On the thread that served the request.
    def request_finished(env) = call_bearing_errors(:after_request_complete, self, env)

    def call_bearing_errors(name, *arguments)
      @settings.hook(name)&.call(@inheritance.hook_context, *arguments)
    rescue UserCodeError => error # the user's
      @log.exception("#{name} failed", error)
    end

    def call_hook(name) = @inheritance.call_hook(name, self, log: @log)
  end
end
