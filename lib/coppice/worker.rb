# frozen_string_literal: true

require "forwardable"
require "coppice/fork_safety/client_sockets"
require "coppice/forking"
require "coppice/gc_profile/allocation_meter"
require "coppice/http"
require "coppice/listeners/syn_filter"
require "coppice/memory/memory_sampler"
require "coppice/os/jit"
require "coppice/os/signals"
require "coppice/worker/rehearsal"
require "coppice/worker/request_cycle"
require "coppice/worker/soft_timeout"

module Coppice
  # Serves one client at a time. Runs in the worker process. Owns its channel, its
  # listeners' descriptors, a waiter, a connection, the clients that linger behind it
  # and one helper thread. The monitor ends it, between two requests.
  class Worker
    extend Forwardable

    # How many clients of one queue are served in a row, and for how long, before others and the monitor are looked for.
    ROW_OF_CLIENTS = 16
    ROW_MS = 10
    BEAT_MS = Board::HEARTBEAT_SECONDS * 1000

    # How long a client that has its answer, and may still be sending, can pause before it is closed; and how long a worker
    # that exits waits for all of them.
    LINGER_MS = 2000

    # What accept(2) raises when this process or the machine has no room for one more; and seconds until the next try.
    NO_ROOM = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM].freeze
    PAUSE_WITHOUT_ROOM = 0.5

    # The part of spawn_timeout that the page may take which each worker asks itself for: a fork's first is slower.
    QUICK = 0.1

    attr_reader :inheritance #: Inheritance
    attr_reader :membership  #: Membership

    # first_request: whether it asks itself for a page before it is ready.
    #: (inheritance: Inheritance, membership: Membership, listeners: Array[Socket], ?first_request: bool) -> void
    def initialize(inheritance:, membership:, listeners:, first_request: false)
      @inheritance = inheritance
      @membership = membership
      @listeners = listeners
      @first_request = first_request
      @stopping = false
    end

    def_delegators :membership, :nr, :generation, :pid, :requests_count # what hooks and applications ask of it

    #: () -> Log
    def log = @log ||= inheritance.log_of(membership)

    # The whole life.
    #: () -> void
    def run
      prepare
      hook(:after_worker_fork)
      hook(:after_worker_ready)
      @soft_timeout.start unless single? # a breakpoint is not a timeout
      serve_until_stopped
      finish
    rescue SystemExit # however it came to it; a copy of this process leaves by throw
      let_clients_finish
      raise
    end

    # After the work in hand, no more.
    #: () -> void
    def stop = @stopping = true

    # The request in flight is past its time: its client is answered. On the thread of the soft timeout.
    #: () -> void
    def answer_overdue = @exchange.expire

    # In a process forked from this one: lets go of what is this worker's alone. The
    # client, if there is one, is still being served by this worker's own process.
    #: () -> void
    def abandon
      @waiter.close
      @connection.forget
      @lingering.close
      ForkSafety::ClientSockets.close_copies
      @listeners.each(&:close)
      membership.leave
    end

    private

    def serve_until_stopped
      warm_up
      @sampler.set_baseline
      membership.ready
      membership.status = "ready"
      turn until stopping?
    rescue SystemExit
      raise unless @soft_timeout.expired? # it was an `exit` of the application
    end

    def stopping? = @stopping || @soft_timeout.expired?

    def prepare
      membership.join(inheritance)
      Info.keep_ios(@listeners)
      single? ? stop_by_signals : membership.report_stop_signals
      clock = RequestClock.new(membership.row, (inheritance.settings.timeout * 1000).ceil)
      @soft_timeout = SoftTimeout.new(self, clock)
      @sampler = Memory::MemorySampler.new(membership.row, log, needed: inheritance.settings.memory_matters?)
      @connection = Http::Connection.new(Http::Limits.from(inheritance.settings))
      @connection.lingering = @lingering = Http::Lingering.new(LINGER_MS)
      @cycle = RequestCycle.new(self, clock, Deadline.new(membership.row, @soft_timeout), @sampler)
      @exchange = build_exchange
      @waiter = Waiter.new(@listeners.map(&:fileno), membership.channel.fileno, @lingering.fileno)
      @fair = inheritance.settings.accept_order == :fair
    end

    # There is no monitor. Ctrl-C does everything that Ruby does at the end of a program.
    def stop_by_signals
      OS::Signals.stop_by { stop }
      trap(:INT, "DEFAULT")
    end

    def build_exchange(marks: {})
      Http::Exchange.new(app: inheritance.app, connection: @connection, settings: inheritance.settings, logger: log, observer: @cycle,
                         marks: marks)
    end

    # A worker that no client can reach is there to be warmed up. The others ask themselves for one page, and see what their
    # clients ask for then.
    def warm_up
      settings = inheritance.settings
      rehearsing = membership.rehearsing?
      OS::JIT.turn_on if settings.jit == :lead && (rehearsing || nr.zero?)
      membership.row.compiles = OS::JIT.on? ? 1 : 0
      return rehearse(settings) if rehearsing

      ask_itself if @first_request && inheritance.first_path
      @cycle.meter = GCProfile::AllocationMeter.new(skip: GCProfile::AllocationMeter::SETTLED) if settings.gc_profile == :fitted
    end

    # The first request of a fork copies what it writes to, and opens what could not be inherited: no client waits for that.
    def ask_itself
      build_rehearsal.once(inheritance.first_path)
      @cycle.start_over
    end

    def rehearse(settings)
      rehearsal = build_rehearsal
      meter = nil
      rehearsal.call(settings.warm_up_requests, settings.hook(:on_warm_up)) { @cycle.meter = meter = GCProfile::AllocationMeter.new }
      membership.row.allocations = meter.measurement.to_s if meter && membership.row.allocations.empty?
      @cycle.meter = nil
      @inheritance = inheritance.with_first_path(rehearsal.quick_path(settings.spawn_timeout * QUICK))
    end

    def build_rehearsal
      Rehearsal.new(exchange: build_exchange(marks: Rehearsal::MARK), connection: @connection, log: log,
                    called_away: method(:called_away?))
    end

    # Before it is ready, all that the monitor may have to say is that it shall leave; or the monitor is gone.
    def called_away? = stopping? || !membership.channel.socket.wait_readable(0).nil?

    # One turn: clients, or a word from the monitor, never both; without either, a sign of life.
    def turn
      membership.row.seen_ms = OS::Clock.now_ms
      @lingering.attend
      ready = @waiter.look
      return answer(ready) { serve_row(ready) } if ready

      @cycle.idle
      @waiter.go_last if @fair
      ready = @waiter.wait(BEAT_MS) unless stopping? # a signal may have come since we were asked
      answer(ready) { serve(ready) } if ready # in any case: nobody else was woken for this client
    end

    # Those who linger are attended to in each turn anyway.
    def answer(ready)
      case ready
      when membership.channel.fileno then obey
      when @lingering.fileno then nil
      else yield
      end
    end

    # A queue that had somebody waiting most likely has more: no need to ask.
    def serve_row(listener)
      until_ms = OS::Clock.now_ms + ROW_MS
      ROW_OF_CLIENTS.times { break unless serve(listener) && !stopping? && OS::Clock.now_ms < until_ms }
    end

    # Answers whether there was a client.
    def serve(listener)
      return false unless accept(listener)

      @exchange.serve
      true
    end

    def accept(listener)
      @connection.accept(listener)
    rescue *NO_ROOM => error
      log.error("cannot accept", error: error.message, again_in: PAUSE_WITHOUT_ROOM)
      sleep(PAUSE_WITHOUT_ROOM) # the client waits in the queue, and epoll would tell of it at once
      false
    end

    def obey
      case packet = membership.channel.receive
      when :empty then nil
      when :closed then outlive_monitor
      else carry_out(packet)
      end
    end

    def carry_out(packet)
      case packet.message
      when Control::Messages::Spawn then promote(packet)
      when Control::Messages::Stop then stop
      when Control::Messages::Drain then drain
      else raise Bug, "a worker got #{packet.message.inspect}"
      end
    end

    # A mold is forked from this worker, which goes on serving. When it may not be forked
    # any more, the monitor sees the mold's channel end.
    def promote(packet)
      Info.fork_safe? ? Forking.new(self).call(packet) : packet.descriptors.each(&:close)
    end

    # The monitor died. New clients are left to its successor; those who have connected have nobody but its workers.
    def outlive_monitor
      @listeners.each { |listener| Listeners::SynFilter.refuse_new_connections(listener) } unless inheritance.borrowed_queues
      drain
    end

    # Nobody new comes any more. The limit is for those who do all the same: the kernel always lets one in.
    def drain
      limit = OS::Clock.now + inheritance.settings.timeout
      nil while OS::Clock.now < limit && !stopping? && @listeners.any? { |listener| serve(listener.fileno) }
      @listeners.each(&:close)
      stop
    end

    def finish
      membership.begin_leaving(@soft_timeout.seconds_to_leave)
      hook(:before_worker_exit)
      log.debug("leaves", requests: requests_count)
      exit
    end

    # A client that is still sending would lose its answer to a reset. The deadline moves, so that the monitor does not take
    # this for an exit that hangs.
    def let_clients_finish
      @cycle.deadline.postpone(LINGER_MS)
      @lingering.finish(LINGER_MS)
    end

    def single? = inheritance.settings.single?

    def hook(name)
      inheritance.settings.hook(name)&.call(inheritance.server, self)
    end
  end
end
