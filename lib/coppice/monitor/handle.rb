# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # One child as the monitor knows it; owns the monitor's end of the child's channel. Plain facts: it decides and
    # sends nothing. The monitor's hooks get it as `worker`.
    class Handle
      # The states of a child, and the states that may follow each.
      MOVES = {
        requested: [:forked, :leaving, :gone],          # another process was told to fork it
        forked: [:registered, :leaving, :gone],         # its pid is known
        registered: [:ready, :leaving, :gone],          # it has reported for itself
        ready: [:leaving, :gone],                       # it serves, or can fork
        leaving: [:gone],                               # it was told to exit
        gone: []                                        # it was reaped, or never forked
      }.freeze

      attr_reader :role       #: Symbol
      attr_reader :nr         #: Integer?
      attr_reader :generation #: Integer
      attr_reader :row        #: Board::Row
      attr_reader :channel    #: Control::Channel
      attr_reader :parent     #: Handle? -- who was asked to fork it; forgotten once that is done
      attr_reader :state      #: Symbol
      attr_reader :pid        #: Integer?
      # When the state it is in becomes too old (monotonic seconds; nil: never).
      attr_accessor :deadline #: Float?
      # When it must have left, of one that was told to: what `deadline` becomes once it has got ready.
      attr_accessor :leave_deadline #: Float?
      # Why it was ended by us; nil as long as it was not.
      attr_accessor :ended_for #: Symbol?
      # Why and with what it ended; nil as long as it lives.
      attr_accessor :exit_report #: ExitReport?
      # When it was forked and when it became ready (monotonic seconds).
      attr_accessor :forked_at, :ready_at #: Float?
      # A worker's listeners; and whether it must accept from others now, so that every queue has a worker.
      attr_accessor :listeners #: Array[Integer]?
      attr_accessor :wrong_queues #: bool
      # A worker that is over one of its limits and must be replaced.
      attr_accessor :over_limit #: bool
      # When it first reported that it got TERM or QUIT (monotonic seconds), and which.
      attr_accessor :signalled_at #: Float?
      attr_accessor :stop_signal  #: Symbol?
      # How often this worker was to become a mold since the last one was committed.
      attr_accessor :promotions #: Integer
      # Set when the kernel says that there is no such process: then nobody will reap it.
      attr_accessor :vanished #: bool

      #: (role: Symbol, generation: Integer, row: Board::Row, channel: Control::Channel, deadline: Float,
      #    ?nr: Integer?, ?purpose: Symbol?, ?parent: Handle?) -> void
      def initialize(role:, generation:, row:, channel:, deadline:, nr: nil, purpose: nil, parent: nil)
        @purpose = purpose
        @role = role
        @role_entry = Roles.fetch(role)
        @nr = nr
        @generation = generation
        @row = row
        @channel = channel
        @deadline = deadline
        @parent = parent
        @cold = parent.nil?
        @promotions = 0
        @state = :requested
      end

      # The parent is let go of, or each handle would keep all its ancestors.
      #: (Integer) -> void
      def pid=(pid)
        @pid = pid
        @parent = nil
      end

      # Raises Bug for a move that the table does not know.
      #: (Symbol) -> void
      def move(state)
        raise Bug, "#{name}: #{@state} to #{state}" unless MOVES.fetch(@state).include?(state)

        @state = state
      end

      #: () -> bool
      def requested? = state == :requested

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

      # Whether it has a slot and counts as one of the workers.
      #: () -> bool
      def worker? = @role_entry.counts

      # Whether it serves the clients in its queues before it exits when the server stops.
      #: () -> bool
      def drains? = @role_entry.ends == :drain

      # A worker that gets no clients, and is rehearsed to be promoted.
      #: () -> bool
      def rehearsing? = @purpose == :rehearsal

      #: () -> bool
      def mold? = role == :mold

      # A mold that booted the application itself.
      #: () -> bool
      def cold? = mold? && @cold

      # Requested, but the process that was to fork it is gone: most likely it never was forked.
      #: () -> bool
      def orphaned? = pid.nil? && !parent.nil? && parent.gone?

      # Still true when the process is gone and its row another one's.
      #: () -> Integer
      def requests_count = @final_requests || row.requests

      #: () -> void
      def keep_requests_count = @final_requests = row.requests

      #: () -> String
      def name = "#{role}#{"[#{nr}]" if nr} gen=#{generation}"

      # The fields that all log lines about it share.
      #: () -> Hash[Symbol, untyped]
      def to_log = { child: role, nr: nr, gen: generation, child_pid: pid }.compact
    end
  end
end
