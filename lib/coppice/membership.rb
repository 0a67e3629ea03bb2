# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/info"
require "coppice/os/clock"
require "coppice/os/signals"

module Coppice
  # A process's place in the family: who it is, its row on the board and its
  # channel to the monitor. Made in the parent just before the fork, it belongs to
  # the child, which owns the channel and ends with it.
  class Membership
    attr_reader :role       #: Symbol -- :worker, :mold or :service
    attr_reader :nr         #: Integer? -- the slot of a worker
    attr_reader :generation #: Integer
    attr_reader :row        #: Board::Row
    attr_reader :channel    #: Control::Channel

    # purpose: :rehearsal for a worker that gets no clients; else nil.
    #: (role: Symbol, generation: Integer, row: Board::Row, channel: Control::Channel, ?nr: Integer?, ?purpose: Symbol?) -> void
    def initialize(role:, generation:, row:, channel:, nr: nil, purpose: nil)
      @role = role
      @nr = nr
      @purpose = purpose
      @generation = generation
      @row = row
      @channel = channel
    end

    # Whether this worker gets no clients, and is rehearsed to be promoted.
    #: () -> bool
    def rehearsing? = @purpose == :rehearsal

    # The process that asks.
    #: () -> Integer
    def pid = Process.pid

    #: () -> Integer
    def requests_count = row.requests

    # The first act of a life, in its own process with the monitor as its parent.
    #: (inheritance: Inheritance) -> void
    def join(inheritance)
      Info.keep_io(channel.socket)
      Info.enter(board: inheritance.board, row: row)
      row.pid = Process.pid
      tell(Control::Messages::Registered.new(pid: Process.pid))
      self.status = "starting"
    end

    # From now on TERM and QUIT are reported to the monitor, and this process goes on: where all processes of the server get
    # the signal, the server stops, and requests in flight are answered. The monitor retires one that got it alone.
    #: () -> void
    def report_stop_signals
      OS::Signals.stop_by { |name| tell(Control::Messages::SignalReceived.new(name: name)) }
    end

    # In the process that forks this one: lets the monitor know whom to expect, and
    # so whom to end if it hangs before it can speak for itself.
    #: (Integer) -> void
    def announce_fork(pid) = tell(Control::Messages::Forked.new(pid: pid))

    # From now on the process serves, or can fork.
    #: () -> void
    def ready
      row.ready = 1
      tell(Control::Messages::Ready.new)
    end

    # Only the user's exit hook is left to run; the watchdog ends one that takes longer than so many seconds, and `cleanup`.
    #: (Numeric) -> void
    def begin_leaving(seconds)
      self.status = "leaving"
      row.deadline_ms = OS::Clock.now_ms + (seconds * 1000).ceil
    end

    # A fact for the monitor. Nothing is done about a monitor that is gone: the
    # next look at the channel finds its end.
    #: (Object) -> void
    def tell(message) = channel.send(message)

    # Shown by ps and top.
    #: (String) -> void
    def status=(text)
      Process.setproctitle("#{name} - #{text}")
    end

    #: () -> String
    def name
      @name ||= "coppice #{role}#{"[#{nr}]" if nr} (gen #{generation})"
    end

    # In a process forked from this one.
    #: () -> void
    def leave = channel.close
  end
end
