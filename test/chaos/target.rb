# frozen_string_literal: true

module Chaos
  # What faults are injected into: a server, its clients, and the list of processes that faults have hit.
  class Target
    attr_reader :server  #: Server
    attr_reader :client  #: Client
    attr_reader :victims #: Victims
    attr_reader :provoked #: Array[untyped] -- requests that had workers fail: their number, and the fault

    CLAIM_TIMEOUT = 5 # seconds in which a process should claim an order
    STOP_TIMEOUT = 60 # seconds until a process that got STOP is stopped

    #: (server: Server, client: Client, victims: Victims) -> void
    def initialize(server:, client:, victims:)
      @server = server
      @client = client
      @victims = victims
      @provoked = []
    end

    # The pid of one process with that role, or nil. share: which one, from 0 up to 1. The block chooses among the rows.
    #: (Symbol, Float) ?{ (Coppice::Board::Row) -> boolish } -> Integer?
    def pick(role, share, &condition)
      rows = server.rows(role)
      rows = rows.select(&condition) if condition
      rows[(rows.size * share).floor]&.pid
    end

    #: () -> Integer
    def monitor = server.pid

    # Sends a signal and records it; false if the process does not exist any more.
    #: (Symbol, Integer, Symbol, untyped) -> bool
    def hit(name, pid, outcome, fault)
      return false unless child?(pid)

      victims.add(pid, outcome, fault)
      signal(name, pid)
    end

    # A process stops when it runs the next time, which may be much later on a busy machine. Until then it looks as if
    # nothing had happened, so this waits for it.
    #: (Symbol, Integer) -> bool
    def signal(name, pid)
      Process.kill(name, pid)
      wait(STOP_TIMEOUT) { ["T", "Z", nil].include?(server.state_of(pid)) } if name == :STOP
      true
    rescue Errno::ESRCH
      false
    end

    # Polls until the block returns a value; nil after that many seconds.
    #: [T] (Numeric) { () -> T? } -> T?
    def wait(seconds)
      deadline = now + seconds
      until (answer = yield)
        return if now > deadline

        pause(0.005)
      end
      answer
    end

    # The duration of a fault.
    #: (Numeric) -> void
    def pause(seconds) = IO.select(nil, nil, nil, seconds)

    # Places an order, and calls the block, which makes a process reach the point. Returns the pid of the process that
    # claimed the order, or nil.
    #: (Symbol, Symbol) { () -> void } -> Integer?
    def order(point, action)
      server.orders.place(point, action)
      yield
      pid = wait(CLAIM_TIMEOUT) { server.orders.claimed_by(point) }
      pid ||= server.orders.claimed_by(point) unless server.orders.withdraw(point)
      pid
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # The board may still have a process that has exited, and the kernel may reuse its pid.
    def child?(pid) = server.children(monitor).include?(pid)
  end
end
