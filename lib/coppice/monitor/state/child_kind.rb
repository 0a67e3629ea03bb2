# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # Which child it is, and what for: it never changes.
    class ChildKind
      attr_reader :role       #: Symbol
      attr_reader :traits     #: Roles::Role -- what all of this role are
      attr_reader :generation #: Integer
      attr_reader :nr         #: Integer? -- the slot of a worker
      attr_reader :purpose    #: Symbol? -- as of Control::Messages::Spawn
      attr_reader :service    #: Config::ServiceDefinition? -- what a service is

      # Raises Bug for a role that does not exist.
      #: (Symbol, generation: Integer, ?nr: Integer?, ?purpose: Symbol?, ?service: Config::ServiceDefinition?) -> void
      def initialize(role, generation:, nr: nil, purpose: nil, service: nil)
        @role = role
        @traits = Roles.fetch(role)
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
      def worker? = traits.slot

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
    end
  end
end
