# frozen_string_literal: true

require "forwardable"
require "coppice/fork_safety/client_sockets"
require "coppice/forking"
require "coppice/http"
require "coppice/life"
require "coppice/memory/memory_sampler"
require "coppice/worker/client_loop"
require "coppice/worker/listener_source"
require "coppice/worker/preparation"
require "coppice/worker/request_cycle"
require "coppice/worker/soft_timeout"

module Coppice
  # Serves one client at a time, and forks the next mold when it is told to. Owns a connection, the loop that takes
  # clients and one helper thread. The monitor ends it, between two requests.
  class Worker
    extend Forwardable

    attr_reader :life #: Life

    # listeners: those that the worker accepts clients from; none for a worker that is rehearsed.
    #: (inheritance: Inheritance, membership: Membership, ?listeners: Array[Socket]) -> void
    def initialize(inheritance:, membership:, listeners: [])
      @listeners = listeners
      orders = {
        Control::Messages::Spawn => method(:promote),
        Control::Messages::Drain => ->(_packet) { @clients.drain }
      }
      @life = Life.new(inheritance: inheritance, membership: membership, orders: orders,
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
      @soft_timeout.start unless inheritance.settings.single? # a breakpoint is not a timeout
      serve_until_stopped
      @life.finish(self, seconds: @soft_timeout.seconds_to_exit, requests: requests_count)
    rescue SystemExit # from wherever exit was called; a copy of this process leaves by throw
      @clients&.let_finish
      raise
    end

    # Whether to accept no more clients.
    #: () -> bool
    def stopping? = @life.stopping? || @soft_timeout.expired?

    # The request in flight is past its deadline: the server answers its client. On the thread of the soft timeout.
    #: () -> void
    def answer_overdue = @exchange.expire

    # In a process forked from this one: closes what belongs to this worker alone. If the worker serves a client, its
    # own process goes on with it.
    #: () -> void
    def abandon
      @connection.forget
      @clients.close
      ForkSafety::ClientSockets.close_copies
      @life.abandon
    end

    private

    def prepare
      @life.begin
      Info.keep_ios(@listeners)
      clock = RequestClock.new(membership.row, (inheritance.settings.timeout * 1000).ceil)
      @soft_timeout = SoftTimeout.new(self, clock)
      @sampler = Memory::MemorySampler.new(membership.row, log, needed: inheritance.settings.memory_matters?)
      @connection = Http::Connection.new(Http::Limits.from(inheritance.settings))
      @cycle = RequestCycle.new(self, clock, Deadline.new(membership.row, @soft_timeout), @sampler)
      @exchange = build_exchange
      sources = @listeners.map { |listener| ListenerSource.new(listener, log) }
      @clients = ClientLoop.new(self, sources, exchange: @exchange, connection: @connection, cycle: @cycle)
    end

    def build_exchange(marks: {})
      Http::Exchange.new(app: inheritance.app, connection: @connection, settings: inheritance.settings, logger: log,
                         observer: @cycle, marks: marks)
    end

    def serve_until_stopped
      Preparation.new(self, connection: @connection, cycle: @cycle) { build_exchange(marks: Rehearsal::MARK) }.call
      @sampler.set_baseline
      @life.ready
      @clients.serve_until_stopped
    rescue SystemExit
      raise unless @soft_timeout.expired? # the application called exit
    end

    # A mold is forked from this worker, which goes on serving. If the worker is no longer fork-safe, the monitor sees
    # the end of the mold's channel.
    def promote(packet)
      Info.fork_safe? ? Forking.new(self).call(packet) : packet.close
    end

    # The monitor died. New clients are left to its successor; those that have connected have only its workers.
    def outlive_monitor
      @clients.refuse_new_connections unless inheritance.borrowed_queues
      @clients.drain
    end
  end
end
