# frozen_string_literal: true

require "forwardable"
require "coppice/monitor/state/child_kind"

module Coppice
  class Monitor
    # One child as the monitor knows it. Owns the monitor's end of the child's channel. It holds facts only: it decides
    # and sends nothing. The monitor's hooks get it as `worker`.
    class Handle
      extend Forwardable

      # The states of a child, and the states that may follow each.
      MOVES = {
        requested: [:forked, :leaving, :gone],          # another process was told to fork it
        forked: [:registered, :leaving, :gone],         # its pid is known
        registered: [:ready, :leaving, :gone],          # it has reported for itself
        ready: [:registered, :leaving, :gone],          # it serves, or can fork; a lobby may lose its loop
        leaving: [:gone],                               # it was told to exit
        gone: []                                        # it was reaped, or never forked
      }.freeze

      attr_reader :row     #: Board::Row
      attr_reader :channel #: Control::Channel
      attr_reader :parent  #: Handle? -- the process that was asked to fork it; nil once it is forked
      attr_reader :state   #: Symbol
      attr_reader :pid     #: Integer?
      # When the watchdog kills it unless it has left its present state (monotonic seconds; nil: never).
      attr_accessor :deadline #: Float?
      # When a child that was told to exit must be gone. `deadline` becomes this once the child is ready.
      attr_accessor :leave_deadline #: Float?
      # Why the monitor killed it, or told it to exit at once; nil if the monitor did not.
      attr_accessor :kill_reason #: Symbol?
      attr_accessor :failure #: untyped -- Control::Messages::Failed: the exception for which it exits; or nil
      # How and why it exited; nil as long as it lives.
      attr_accessor :exit_report #: ExitReport?
      # When it was forked (monotonic seconds).
      attr_reader :forked_at #: Float?
      # When it became ready (monotonic seconds).
      attr_accessor :ready_at #: Float?
      # A worker's listeners (descriptors), and whether it must be replaced so that every queue has a worker.
      attr_accessor :listeners #: Array[Integer]?
      attr_reader :wrong_queues #: bool
      # The monitor's end of a worker's inspection socket, see Control::Messages.
      attr_accessor :inspection #: Control::Channel?
      # A worker's place at the lobby.
      attr_reader :seat #: Seat?
      # Whether a worker or a service is over one of its limits and must be replaced.
      attr_reader :over_limit #: bool
      # When it first reported that it got TERM or QUIT (monotonic seconds), and which of them.
      attr_reader :signalled_at #: Float?
      attr_accessor :stop_signal #: Symbol?
      attr_accessor :promotions #: Integer -- attempts to promote this worker since the last mold was committed
      attr_accessor :forked_any #: bool? -- whether it has forked another child
      attr_accessor :audit_findings #: Integer -- number of things that the fork audit has found
      attr_accessor :errand #: untyped -- what it was forked for, if somebody has asked for it; or nil
      # Those for a child that does not handle signals yet, in their order.
      attr_reader :kept_signals #: Array[Symbol]
      # Whose code it runs; nil for the observer and the lobby.
      attr_reader :release #: Release?
      # Whether the kernel said that there is no such process: then it can never be reaped.
      attr_reader :vanished #: bool

      def_delegators :@kind, :role, :traits, :nr, :generation, :service, :name, :worker?, :mold?, :service?,
                     :observer?, :lobby?, :temporary?, :rehearsing?, :warms_up?

      # By these, and by their states and channels, children are told apart (Children).
      %i[wrong_queues seat over_limit signalled_at vanished].each do |name|
        define_method(:"#{name}=") do |value|
          instance_variable_set(:"@#{name}", value)
          changed
        end
      end

      # parent: the process that is asked to fork it; nil where the monitor spawns it.
      #: (ChildKind, row: Board::Row, channel: Control::Channel, deadline: Float, ?parent: Handle?,
      #    ?release: Release?) -> void
      def initialize(kind, row:, channel:, deadline:, parent: nil, release: parent&.release)
        @kind = kind
        @cold = parent.nil?
        @release = release
        @row = row
        @channel = channel
        @deadline = deadline
        @parent = parent
        @promotions = @audit_findings = 0
        @kept_signals = []
        @state = :requested
      end

      # Gives it so many more seconds for whatever it has to do at this moment, the request in flight included.
      #: (Float) -> void
      def postpone(seconds)
        @deadline += seconds if @deadline
        @leave_deadline += seconds if @leave_deadline
        deadline_ms = row.deadline_ms
        @postponed_ms = (seconds * 1000).ceil + (deadline_ms == @postponed_request ? @postponed_ms : 0)
        @postponed_request = deadline_ms
      end

      # When the request in flight must be finished, or the exit hook of the process (milliseconds of the monotonic
      # clock; 0: neither). The process itself writes this to its row, where the monitor can't change it.
      #: () -> Integer
      def request_deadline_ms
        deadline_ms = row.deadline_ms
        deadline_ms.positive? && deadline_ms == @postponed_request ? deadline_ms + @postponed_ms : deadline_ms
      end

      # Forgets the parent, which has forked it: otherwise each handle would keep all its ancestors in memory.
      #: (Integer) -> void
      def pid=(pid)
        @pid = pid
        @parent&.forked_any = true
        @parent = nil
        changed
      end

      # Of all its processes: only the lobby has more than one.
      #: () -> Array[Integer]
      def pids = [pid].compact

      # What to call with it when it changes in a way by which children are told apart.
      attr_writer :on_change #: ^(Handle) -> void

      # What to call once, while its channel is still open, before that is closed.
      attr_writer :before_close #: (^() -> void)?

      # Changes the state. Raises Bug for a change that MOVES does not list.
      #: (Symbol) -> void
      def move(state)
        raise Bug, "#{name}: #{@state} to #{state}" unless MOVES.fetch(@state).include?(state)

        @state = state
        changed
      end

      # It was forked, or spawned by the monitor, at that time (monotonic seconds).
      #: (Float) -> void
      def note_fork(time)
        @forked_at = time
        row.forked_ms = (time * 1000).to_i
        move(:forked) if requested?
      end

      # No message can be exchanged with it any more.
      #: () -> void
      def close_channel
        @before_close&.call
        @before_close = nil
        channel.close
        changed
      end

      #: () -> bool
      def requested? = state == :requested

      # A mold that booted the application itself.
      #: () -> bool
      def cold? = mold? && @cold

      # Not ready yet.
      #: () -> bool
      def starting? = [:requested, :forked, :registered].include?(state)

      # A child whose channel has ended is as good as gone, even if it is not reaped yet.
      #: () -> bool
      def ready? = state == :ready && !channel.closed?

      #: () -> bool
      def leaving? = state == :leaving

      #: () -> bool
      def gone? = state == :gone

      # Whether it has replaced its parent's handlers, which would lose a signal: see Child::Life#start.
      #: () -> bool
      def handles_signals? = !pid.nil? && row.pid == pid

      # Whether it may close its channel and go on: its program may be another one by now.
      #: () -> bool
      def may_be_silent? = traits.other_program && !starting?

      # A worker that gets clients.
      def serving? = worker? && ready? && !rehearsing? #: () -> bool

      # Whether it is a service that leaves, and has clients of its own until then: its successor may be there.
      def passed_on? = leaving? && !service&.path.nil? #: () -> bool

      # Whether it was requested and the process that was to fork it is gone: most likely it was never forked.
      #: () -> bool
      def orphaned? = pid.nil? && !parent.nil? && parent.gone?

      # Whether the worker that was to fork this mold says that it must not be forked: then there never was a process.
      #: () -> bool
      def refused? = mold? && pid.nil? && !parent.nil? && !parent.gone? && !parent.row.fork_safe?

      # Closes the monitor's ends of its sockets.
      #: () -> void
      def close
        close_channel
        inspection&.close
        seat&.close
      end

      # The lobby of its seat is lost.
      #: () -> void
      def leave_seat
        seat.close
        self.seat = nil
      end

      # Its answers are of no use.
      #: (Symbol) -> void
      def note_seat_fault(fault)
        seat.fault ||= fault
        changed
      end

      # Number of requests that it has served. It stays valid when another process owns the row.
      #: () -> Integer
      def requests_count = @final_requests || row.requests

      #: () -> void
      def keep_requests_count = @final_requests = row.requests

      #: () -> String
      def inspect = "#<#{self.class} #{name} #{state} pid=#{pid.inspect}>"

      # The fields that name this child in log lines.
      #: () -> Hash[Symbol, untyped]
      def to_log = { child: role, nr: nr, name: service&.name, gen: generation, child_pid: pid }.compact

      private

      def changed = @on_change&.call(self)
    end
  end
end
