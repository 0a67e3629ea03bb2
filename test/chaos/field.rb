# frozen_string_literal: true

module Chaos
  # What faults work on: a server, its clients, and the list of those they hit.
  class Field
    attr_reader :server  #: Server
    attr_reader :client  #: Client
    attr_reader :victims #: Victims

    TAKE_UP = 5 # seconds in which somebody should come by where an order waits

    #: (server: Server, client: Client, victims: Victims) -> void
    def initialize(server:, client:, victims:)
      @server = server
      @client = client
      @victims = victims
    end

    # One process of that role, or nil. share: from 0 up to 1, which one.
    #: (Symbol, Float) -> Integer?
    def someone(role, share)
      pids = server.rows(role).map(&:pid)
      pids[(pids.size * share).floor]
    end

    #: () -> Integer
    def monitor = server.pid

    # Sends a signal that is to be accounted for; false when that process is not there any more.
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

    # Waits for what no descriptor announces; nil when it did not come true in time.
    #: [T] (Numeric) { () -> T? } -> T?
    def wait(seconds)
      deadline = now + seconds
      until (answer = yield)
        return if now > deadline

        pause(0.005)
      end
      answer
    end

    # A fault that lasts.
    #: (Numeric) -> void
    def pause(seconds) = IO.select(nil, nil, nil, seconds)

    # Places an order, has the block lead somebody there, and answers who took it; nil when nobody came.
    #: (Symbol, Symbol) { () -> void } -> Integer?
    def order(point, action)
      server.orders.place(point, action)
      yield
      taker = wait(TAKE_UP) { server.orders.taker(point) }
      taker ||= server.orders.taker(point) unless server.orders.withdraw(point)
      taker
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # The board may still name one that has ended, whose pid may be another's one day.
    def child?(pid) = server.children(monitor).include?(pid)
  end
end
