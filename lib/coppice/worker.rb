# frozen_string_literal: true

require "forwardable"
require "coppice/child/forking"
require "coppice/child/heap_preparation"
require "coppice/child/life"
require "coppice/fork_safety/client_sockets"
require "coppice/http"
require "coppice/memory/memory_sampler"
require "coppice/worker/client_loop"
require "coppice/worker/fork_safety_watch"
require "coppice/worker/inspection"
require "coppice/worker/listener_source"
require "coppice/worker/lobby_source"
require "coppice/worker/out_of_band"
require "coppice/worker/path_counter"
require "coppice/worker/preparation"
require "coppice/worker/request_cycle"
require "coppice/worker/soft_timeout"
require "coppice/worker/trial"
require "coppice/worker/wait_hint"

module Coppice
  # Serves one client at a time, and forks the next mold when the monitor asks for it. Owns an exchange, the client loop
  # and one helper thread. The monitor tells it when to exit; it exits between two requests.
  class Worker
    extend Forwardable

    attr_reader :life #: Child::Life

    # listeners: those that the worker accepts clients from; none for a worker that is rehearsed. inspection: the socket
    # on which the monitor asks for backtraces. lobby: the descriptors of its seat at the lobby, in the order of
    # LobbySeat.new; none without a lobby.
    #: (inheritance: Child::Inheritance, membership: Child::Membership, ?listeners: Array[Socket],
    #    ?inspection: UNIXSocket?, ?lobby: Array[IO]) -> void
    def initialize(inheritance:, membership:, listeners: [], inspection: nil, lobby: [])
      @listeners = listeners
      @lobby_descriptors = lobby
      @inspection = Inspection.new(inspection, membership)
      orders = {
        Control::Messages::Spawn => method(:promote),
        Control::Messages::Measure => ->(_packet) { @sampler.sample },
        Control::Messages::Drain => ->(_packet) { @serving ? @clients.drain : stop },
        Control::Messages::TakeSeat => method(:take_seat),
        Control::Messages::ReopenLogs => method(:reopen_logs)
      }
      @life = Child::Life.new(inheritance: inheritance, membership: membership, orders: orders,
                       orphaned: method(:outlive_monitor))
    end

    def_delegators :@life, :inheritance, :membership, :log, :stop
    # What hooks and applications ask of it.
    def_delegators :membership, :nr, :generation, :pid, :requests_count, :worker?, :mold?, :service?, :to_log

    # The whole life of the process.
    #: () -> void
    def run
      prepare
      @life.call_hook(:fork, self)
      @life.call_hook(:ready, self)
      @soft_timeout.start
      serve_until_stopped
      @paths&.report
      @life.finish(self, seconds: @soft_timeout.seconds_to_exit, requests: requests_count)
    rescue SystemExit # exit may be called anywhere; a forked copy unwinds this frame with throw instead
      @clients&.finish_lingering
      raise
    end

    # Whether to accept no more clients.
    #: () -> bool
    def stopping? = @life.stopping? || @soft_timeout.expired?

    # Answers the client of a request that is past its deadline. Called on the thread of the soft timeout.
    #: () -> void
    def answer_overdue = @exchange.expire

    # Called on that thread while a request takes seconds.
    #: () -> void
    def note_long_request = @out_of_band&.note_long_request

    # Called in a process forked from this one: closes the copies of what belongs to this worker. The worker itself
    # still serves its client.
    #: () -> void
    def close_in_copy
      @out_of_band&.cancel
      @exchange.connection.forget
      @clients.close
      @access_log&.close
      @inspection.close
      ForkSafety::ClientSockets.close_copies
      @life.close
    end

    private

    def prepare
      @life.start
      Info.keep_ios(@listeners)
      clock = RequestClock.new(membership.row, (soft_limit * 1000).ceil)
      @soft_timeout = SoftTimeout.new(self, clock, @inspection)
      @sampler = Memory::MemorySampler.new(membership.row, log, needed: inheritance.settings.memory_matters?)
      @paths = PathCounter.of(inheritance, membership)
      @fork_safety = ForkSafetyWatch.new(self)
      @cycle = RequestCycle.new(self, clock, Deadline.new(membership.row, clock, @soft_timeout), @sampler, @paths,
        @fork_safety)
      @out_of_band = OutOfBand.of(self, inheritance.settings)
      lingering = Http::Lingering.new(ClientLoop::LINGER_MS)
      @exchange = build_exchange(@paths || inheritance.app, lingering: lingering)
      @clients = ClientLoop.new(self, listener_sources, exchange: @exchange, lingering: lingering, cycle: @cycle,
                                                        lobby: first_lobby, out_of_band: @out_of_band,
                                                        trial: Trial.of(inheritance.board, membership.row))
    end

    # Seconds.
    def soft_limit
      settings = inheritance.settings
      membership.of_cold_mold? ? settings.cold_timeout : settings.timeout
    end

    def listener_sources
      @listeners.map do |listener|
        ListenerSource.new(listener, log, **inheritance.listener_options.fetch(listener.stat.ino, {}))
      end
    end

    def first_lobby
      lobby_source(membership.seat, @lobby_descriptors) unless @lobby_descriptors.empty?
    end

    # The seat has duplicates of those that it needs.
    def lobby_source(seat, descriptors)
      LobbySource.new(LobbySeat.new(seat, *descriptors.map(&:fileno)))
    ensure
      descriptors.each(&:close)
    end

    # Without the descriptors it could not serve any more, and ends.
    def take_seat(packet)
      @clients.take_lobby(lobby_source(packet.message.seat, packet.descriptors[:lobby]))
    end

    def build_exchange(app, marks: {}, **options)
      marks = { **WaitHint.marks(inheritance.settings, membership.row), **marks }
      Http::Exchange.new(app: app, settings: inheritance.settings, logger: log, cycle: @cycle, marks: marks,
                         trusted_proxies: inheritance.trusted_proxies, **options)
    end

    def serve_until_stopped
      Preparation.new(self, @cycle) { build_exchange(inheritance.app, lingering: nil, marks: Rehearsal::MARK) }.call
      audit_fork if membership.audit
      @sampler.set_baseline
      begin_counting unless membership.rehearsing?
      @life.ready
      @serving = true
      @clients.serve_until_stopped
    rescue SystemExit
      raise unless @soft_timeout.expired? # the application called exit
    end

    def audit_fork
      began = OS::Clock.now
      findings = membership.audit.findings
      log.debug("fork audit finished", findings: findings.size, seconds: (OS::Clock.now - began).round(4))
    rescue StandardError => error # from the application's objects, or no descriptor is left: the worker can serve
      log.exception("fork audit failed", error)
    ensure
      membership.finish_audit(findings.to_a)
    end

    def begin_counting
      @cycle.begin_counting
      @exchange.connection.count_on(membership.row)
      log_clients
    end

    # The lobby writes the lines of its own clients.
    def log_clients
      return if @access_log || inheritance.settings.access_log.nil? || @listeners.empty?

      require "coppice/http/access_log"
      @access_log = Http::AccessLog.of(inheritance.settings, membership.row, worker: nr, generation: generation)
      @exchange.connection.access_log = @access_log.lines
    rescue SystemCallError => error # the worker can serve
      log.error("could not open the access log: mend it, then `coppice reopen-logs`", error: error.message)
    end

    def reopen_logs(packet)
      @access_log ? @access_log.reopen : log_clients
    rescue SystemCallError => error
      log.error("could not reopen the access log", error: error.message)
    ensure
      @life.reopen_logs(packet)
    end

    # Forks a mold; this worker continues to serve. If the worker is not fork-safe, now or any longer, it closes the
    # mold's channel, which tells the monitor that no mold was forked.
    def promote(packet)
      return packet.close if @fork_safety.unsafe?

      inheritance.preset_calls.before_promotion(log)
      Child::HeapPreparation.settle if inheritance.settings.warmup
      Child::Forking.new(self).call(packet)
    end

    # Called when the monitor has died: serves the clients that have connected, and leaves new ones to the next server.
    def outlive_monitor
      @clients.refuse_new_connections
      @clients.drain
    end
  end
end
