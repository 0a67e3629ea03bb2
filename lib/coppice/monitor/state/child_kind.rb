# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # Which child it is, and what for: it never changes.
    class ChildKind
      attr_reader :role       #: Symbol
      attr_reader :generation #: Integer
      attr_reader :nr         #: Integer? -- the slot of a worker
      attr_reader :purpose    #: Symbol? -- as of Control::Messages::Spawn
      attr_reader :service    #: Config::ServiceDefinition? -- what a service is

      # Raises Bug for a role that does not exist.
      #: (Symbol, generation: Integer, ?nr: Integer?, ?purpose: Symbol?, ?service: Config::ServiceDefinition?) -> void
      def initialize(role, generation:, nr: nil, purpose: nil, service: nil)
        @role = role
        @role_entry = Roles.fetch(role)
        @generation = generation
        @nr = nr
        @purpose = purpose
        @service = service
        freeze
      end

      # As log lines name it.
      #: () -> String
      def name = "#{role}#{"[#{nr || service.name}]" if nr || service&.name} gen=#{generation}"

      # Whether it has a slot and counts as one of the workers.
      #: () -> bool
      def worker? = @role_entry.slot

      #: () -> bool
      def mold? = role == :mold

      #: () -> bool
      def service? = role == :service

      #: () -> bool
      def observer? = role == :observer

      #: () -> bool
      def lobby? = role == :lobby

      # A mold that exits once it has forked what is missing.
      #: () -> bool
      def temporary? = @purpose == :temporary

      # A worker that gets no clients, and is rehearsed to be promoted.
      #: () -> bool
      def rehearsing? = @purpose == :rehearsal

      # Whether it serves all warm-up requests before it is ready, which may take as long as a boot.
      #: () -> bool
      def warms_up? = rehearsing? || @purpose == :warmed_trial

      # Whether it serves the clients in its queues before it exits when the server stops.
      #: () -> bool
      def drains? = @role_entry.shutdown == :drain

      # Whether it finishes its clients before those that serve them exit when the server stops.
      #: () -> bool
      def drains_first? = @role_entry.shutdown == :drain_first

      # Whether its process group gets HUP when the server stops.
      #: () -> bool
      def hangs_up? = @role_entry.shutdown == :hang_up

      # Whether it stays until all others are gone when the server stops.
      #: () -> bool
      def last? = @role_entry.shutdown == :stop_last

      # Whether it is forked for what somebody has asked for: see Roles.
      #: () -> bool
      def errand? = @role_entry.errand || false

      # After what the next one of its role is delayed: see Roles.
      #: () -> Symbol?
      def pause_after = @role_entry.pause

      # Whether signals go to all processes of its session.
      #: () -> bool
      def leads_session? = @role_entry.own_session || false

      # Whether it leads a process group of its own, which is killed when it has exited.
      #: () -> bool
      def leads_group? = @role_entry.own_group || false

      # Whether it may become a program that knows nothing of its channel.
      #: () -> bool
      def other_program? = @role_entry.other_program || false
    end
  end
end
