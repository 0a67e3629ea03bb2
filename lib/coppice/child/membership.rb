# frozen_string_literal: true

require "forwardable"
require "coppice/control/failure_report"
require "coppice/control/messages"
require "coppice/info"
require "coppice/os/clock"
require "coppice/os/signals"
require "coppice/roles"

module Coppice
  module Child
    # A process's place among the children of the monitor: its role, its row on the board and its channel. Made in the
    # parent just before the fork, it belongs to the child.
    class Membership
      extend Forwardable

      attr_reader :row     #: Board::Row
      attr_reader :channel #: Control::Channel? -- nil without a monitor

      # As of Control::Messages::Spawn.
      def_delegators :@spawn, :role, :nr, :generation, :service, :seat
      # What its parent had at the fork. Of a mold, and of a mold's first worker until it is ready; of others nil.
      attr_accessor :audit #: ForkSafety::Audit?

      # The place of this process where there is no monitor to register with: it owns the row at once.
      #: (role: Symbol, row: Board::Row, ?generation: Integer) -> Membership
      def self.without_monitor(role:, row:, generation: 0)
        nr = (0 if role == :worker)
        row.assign(role: role, nr: nr, generation: generation)
        row.pid = Process.pid
        new(role: role, nr: nr, generation: generation, row: row, channel: nil)
      end

      # of_cold_mold: see of_cold_mold?. spawn: as of Control::Messages::Spawn; its purpose may also be :boot, of a mold
      # that boots the application. Raises Bug for a role that does not exist.
      #: (row: Board::Row, channel: Control::Channel?, ?of_cold_mold: bool, **untyped) -> void
      def initialize(row:, channel:, of_cold_mold: false, **spawn)
        @spawn = Control::Messages::Spawn.new(**spawn)
        @title = Roles.fetch(role).title
        @of_cold_mold = of_cold_mold
        @row = row
        @channel = channel
      end

      # Whether this worker gets no clients, and is rehearsed to be promoted.
      #: () -> bool
      def rehearsing? = @spawn.purpose == :rehearsal

      # Whether this worker is the first one of a new release, and serves the warm-up requests before its clients.
      #: () -> bool
      def warmed_trial? = @spawn.purpose == :warmed_trial

      # Whether this mold boots the application itself.
      #: () -> bool
      def cold? = @spawn.purpose == :boot

      # Whether the mold that this process was forked from is cold, so that no request has warmed anything.
      #: () -> bool
      def of_cold_mold? = @of_cold_mold

      # Whether this mold forks what is missing, and exits.
      #: () -> bool
      def temporary? = @spawn.purpose == :temporary

      # Whether this worker reconnects, and makes a request to itself if it knows a path, before it is ready.
      #: () -> bool
      def first_request? = @spawn.first_request || false

      #: () -> bool
      def worker? = role == :worker

      #: () -> bool
      def mold? = role == :mold

      #: () -> bool
      def service? = role == :service

      # The fields by which log lines name the process.
      #: () -> Hash[Symbol, untyped]
      def to_log = { child: role, nr: nr, name: service, gen: generation, child_pid: pid }.compact

      # Of the calling process.
      #: () -> Integer
      def pid = Process.pid

      #: () -> Integer
      def requests_count = row.requests

      # Registers with the monitor, which is the parent of this process by now. Returns :closed if the monitor is gone.
      #: (Inheritance) -> Symbol
      def join(inheritance)
        Info.keep_io(channel.socket) if channel
        Info.attach(board: inheritance.board, row: row)
        row.pid = Process.pid
        self.status = "starting"
        tell(Control::Messages::Registered.new(pid: Process.pid))
      end

      # From now on TERM and QUIT are reported to the monitor, and this process goes on. If all processes of the server
      # got the signal, the server stops gracefully; if this one got it alone, the monitor retires it.
      #: () -> void
      def report_stop_signals
        OS::Signals.stop_by { |name| tell(Control::Messages::SignalReceived.new(name: name)) }
      end

      # In the process that forks this one: tells the monitor which pid to expect, and so which
      # process to kill if it hangs before it registers.
      #: (Integer) -> void
      def announce_fork(pid) = tell(Control::Messages::Forked.new(pid: pid))

      # Ends the fork audit, and reports what it has found.
      #: (Array[ForkSafety::Finding]) -> void
      def finish_audit(findings)
        @audit = nil
        tell(Control::Messages::AuditFinished.new(findings: findings.map(&:to_a))) unless findings.empty?
      end

      # From now on the process serves, or can fork.
      #: () -> void
      def ready
        row.ready = 1
        tell(Control::Messages::Ready.new)
      end

      # Reports the exception for which this process is about to exit.
      #: (Exception) -> void
      def report_failure(error)
        tell(Control::FailureReport.of(error))
      rescue UserCodeError # its methods are the application's: then the log alone says why
        nil
      end

      # Only the user's exit hook is left to run. The watchdog kills a process that takes longer than so many seconds
      # and `cleanup`.
      #: (Numeric) -> void
      def begin_exit(seconds)
        self.status = "exiting"
        row.deadline_ms = OS::Clock.now_ms + (seconds * 1000).ceil
      end

      # Sends a fact to the monitor: :sent, :full or :closed, as Channel#send; nil without a monitor. If that is gone,
      # the next look at the channel finds its end.
      #: (Object) -> Symbol?
      def tell(message) = channel&.send(message)

      # Shown by ps and top.
      #: (String) -> void
      def status=(text)
        Process.setproctitle("#{name} - #{text}")
      end

      #: () -> String
      def name = @name ||= "coppice #{@title}#{"[#{nr || service}]" if nr || service} (gen #{generation})"
    end
  end
end
