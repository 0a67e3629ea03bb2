# frozen_string_literal: true

require "coppice/board"
require "coppice/config/settings"
require "coppice/control/channel"
require "coppice/control/memory_file"
require "coppice/control/messages"
require "coppice/info"
require "coppice/log"
require "coppice/log/reopening"
require "coppice/observer/reporter"
require "coppice/os/signals"
require "coppice/stats"

module Coppice
  # The process that shows the server on `admin_listen` and calls on_stats. The monitor spawns it with exec and spawns
  # another one when it dies. It loads no application, maps the board to read only, and no other process waits for it:
  # clients are served whatever becomes of it.
  class Observer
    THREADS = 4

    # Seconds, at most: a client that stalls must not keep health checks waiting, which give up soon.
    PATIENCE = 5
    TIMEOUTS = %i[client_header_timeout client_body_timeout client_write_timeout].freeze

    # Bytes of a body per second, at least: timeouts limit its pauses only, and anybody may send one.
    MIN_RATE = 4096

    # Bytes of a body, at most: nothing that it reads is larger than the form of /login (Application::MAX_FORM).
    MAX_BODY = 4096

    # How long it finishes the requests of its own clients at the end, in seconds.
    STOP_SECONDS = 0.5

    #: (Integer) -> void
    def initialize(descriptor)
      @channel = Control::Channel.for_fd(descriptor)
    end

    # The whole life of the process: until the monitor tells it to exit, or is gone. It ignores TERM and QUIT, which a
    # process manager may send to every process: health checks are to be answered until the last worker has exited.
    #: () -> void
    def call
      OS.parent_death_signal(Signal.list.fetch("KILL")) # until it reads its channel
      OS::Signals.stop_by { nil }
      packet = @channel.receive_first or exit(0)
      take(**packet.descriptors)
      Process.setproctitle("coppice observer")
      @channel.send(Control::Messages::Registered.new(pid: Process.pid))
      serve(packet.message.hook)
    end

    private

    def take(board:, settings:, listeners:)
      @board = Board.attach(board.fileno, read_only: true)
      @wire = Control::MemoryFile.read(settings)
      @listeners = listeners.map { |listener| Socket.for_fd(listener.fileno).tap { listener.autoclose = false } }
      [board, settings].each(&:close)
      @settings = Config::Settings.from_wire(impatient(@wire))
      @log = Log.for(@settings, role: :observer).follow(@board)
      Info.attach(board: @board, row: nil)
    end

    def impatient(wire)
      values = wire[:values]
      timeouts = TIMEOUTS.to_h { |name| [name, [values.fetch(name, PATIENCE), PATIENCE].min] }
      limits = { client_min_rate: [values[:client_min_rate].to_i, MIN_RATE].max,
                 max_body_bytes: [values[:max_body_bytes], MAX_BODY].compact.min }
      wire.merge(values: values.merge(timeouts, limits))
    end

    def serve(hook)
      reporter = Reporter.new(@board, @wire, @log) if hook
      active = reporter&.activate_bundle
      load_server
      stats = SharedStats.new(Stats.new(@board, measure_guests: true))
      health = SharedStats.new(Stats.new(@board)) # waits for no guest's memory, and for nobody who reads that
      application = Application.new(stats: stats, health: health, settings: @settings, dashboard: dashboard(stats))
      server = ThreadedServer.new(application, listeners: @listeners, settings: @settings, log: @log, threads: THREADS)
      server.start
      Thread.new { reporter.call } if active
      @channel.send(Control::Messages::Ready.new)
      OS.parent_death_signal(0)
      obey_until_the_end
      server.stop(STOP_SECONDS)
    end

    # After the bundle, which may have other versions of Ruby's own gems, such as json.
    def load_server
      require "coppice/observer/application"
      require "coppice/observer/shared_stats"
      require "coppice/threaded_server"
    end

    # Loaded when somebody first asks for a page: most observers only answer health checks and scrapes.
    def dashboard(stats) = ->(env) { (@dashboard ||= load_dashboard(stats)).call(env) }

    def load_dashboard(stats)
      require "coppice/control/client"
      require "coppice/dashboard"
      path = @settings.control_socket
      control = Control::Client.new(pid: (@board.monitor_pid unless path), path: path)
      Dashboard.new(stats: stats.method(:to_h), history: ->(since) { stats.history(since: since) },
                    actions: (control if @settings.admin_actions),
                    backtrace: ->(slot) { control.call("backtrace", slot.to_s).join("\n") },
                    not_found: Application::NOT_FOUND)
    end

    def obey_until_the_end
      loop do
        @channel.socket.wait_readable
        packet = @channel.receive
        return if packet == :closed

        return if packet.is_a?(Control::Channel::Packet) && obey(packet) == :stop
      end
    end

    # Returns :stop for the message that says so. Other messages to all children are not for this one.
    def obey(packet)
      case packet.message
      when Control::Messages::Stop then :stop
      when Control::Messages::ReopenLogs then Log::Reopening.follow(packet.descriptors, packet.message.replaces)
      end
    rescue SystemCallError => error
      @log.error("could not reopen a log file", error: error.message)
    ensure
      packet.close
    end
  end
end
