# frozen_string_literal: true

require "coppice/monitor/lifecycle"

module Coppice
  class Monitor
    # One child as the monitor knows it. Runs in the monitor, which owns the other
    # end of the child's channel. Plain facts; decides and sends nothing.
    #
    # It is also what the monitor's hooks get as `worker`.
    class Handle
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
      # A worker's last note of the time, and when that was news: see Silence.
      attr_accessor :last_seen_ms #: Integer?
      attr_accessor :heard_at     #: Float?
      # A worker's listeners; and whether it would be given others now, for all queues to be served.
      attr_accessor :listeners #: Array[Integer]?
      attr_accessor :misplaced #: bool
      # A worker that is over one of its limits, and shall be replaced.
      attr_accessor :worn #: bool
      # When it was first seen over its memory limit (monotonic seconds).
      attr_accessor :too_large_at #: Float?
      # When it first reported that it got TERM or QUIT (monotonic seconds), and which.
      attr_accessor :signalled_at #: Float?
      attr_accessor :stop_signal  #: Symbol?
      # How often this worker was to become a mold since the last one was committed.
      attr_accessor :promotions #: Integer
      # Set when the kernel says that there is no such process: then nobody will reap it.
      attr_accessor :vanished #: bool

      #: (role: Symbol, generation: Integer, row: Board::Row, channel: Control::Channel, deadline: Float,
      #    ?nr: Integer?, ?parent: Handle?) -> void
      def initialize(role:, generation:, row:, channel:, deadline:, nr: nil, parent: nil)
        @role = role
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
        raise Bug, "#{name}: #{@state} to #{state}" unless Lifecycle.legal?(@state, state)

        @state = state
      end

      #: () -> bool
      def requested? = state == :requested

      # On its way, but of no use yet.
      #: () -> bool
      def starting? = [:requested, :forked, :registered].include?(state)

      # One whose channel has ended is as good as gone, even if nobody has reaped it yet.
      #: () -> bool
      def ready? = state == :ready && !channel.closed?

      #: () -> bool
      def leaving? = state == :leaving

      #: () -> bool
      def gone? = state == :gone

      #: () -> bool
      def worker? = role == :worker

      #: () -> bool
      def mold? = role == :mold

      # A mold that booted the application itself.
      #: () -> bool
      def cold? = mold? && @cold

      # Asked for, but who should have forked it is gone: it will most likely never come.
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
