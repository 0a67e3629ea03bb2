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
      attr_reader :parent     #: Handle? -- who forks it; nil for a cold mold
      attr_reader :state      #: Symbol
      attr_accessor :pid      #: Integer?
      # When the state it is in becomes too old (monotonic seconds; nil: never).
      attr_accessor :deadline #: Float?
      # Why and when it was ended by us; nil as long as it was not.
      attr_accessor :ended_for #: Symbol?

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
        @state = :requested
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

      #: () -> bool
      def ready? = state == :ready

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
      def cold? = mold? && parent.nil?

      #: () -> Integer
      def requests_count = row.requests

      #: () -> String
      def name = "#{role}#{"[#{nr}]" if nr} gen=#{generation}"

      # The fields that all log lines about it share.
      #: () -> Hash[Symbol, untyped]
      def to_log = { child: role, nr: nr, gen: generation, child_pid: pid }.compact
    end
  end
end
