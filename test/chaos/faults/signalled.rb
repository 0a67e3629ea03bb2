# frozen_string_literal: true

module Chaos
  module Faults
    # A signal from outside, at any moment.
    class Signalled
      OUTCOMES = { KILL: :kill, SEGV: :crash, TERM: :ask, QUIT: :ask, INT: :interrupt }.freeze

      ROLES = %i[worker worker mold service].freeze
      NAMES = %i[KILL KILL KILL SEGV TERM QUIT INT].freeze
      private_constant :ROLES, :NAMES

      #: (Random) -> Signalled
      def self.draw(random)
        new(ROLES.sample(random: random), NAMES.sample(random: random), random.rand)
      end

      #: (Symbol, Symbol, Float) -> void
      def initialize(role, name, share)
        @role = role
        @name = name
        @share = share
      end

      #: () -> String
      def to_s = "#{@name} to a #{@role}"

      # Returns whether it hit a process.
      #: (Target) -> bool
      def inject(target)
        pid = target.pick(@role, @share)
        !pid.nil? && target.hit(@name, pid, OUTCOMES.fetch(@name), self)
      end
    end
  end
end
