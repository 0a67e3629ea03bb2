# frozen_string_literal: true

module Chaos
  # What faults are injected into: a server, its clients, and the list of processes that faults have hit.
  class Target
    attr_reader :server  #: Server
    attr_reader :client  #: Client
    attr_reader :victims #: Victims

    CLAIM_TIMEOUT = 5 # seconds in which a process should claim an order

    #: (server: Server, client: Client, victims: Victims) -> void
    def initialize(server:, client:, victims:)
      @server = server
      @client = client
      @victims = victims
    end

    # The pid of one process with that role, or nil. share: which one, from 0 up to 1.
    #: (Symbol, Float) -> Integer?
    def pick(role, share)
      pids = server.rows(role).map(&:pid)
      pids[(pids.size * share).floor]
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

    #: (Symbol, Integer) -> bool
    def signal(name, pid)
      Process.kill(name, pid)
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
