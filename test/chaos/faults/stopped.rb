# frozen_string_literal: true

module Chaos
  module Faults
    # Stopped for good while it has nothing to do. The server cannot tell that from waiting, until it wants something of
    # that process: so a new generation is asked for.
    class Stopped
      #: (Random) -> Stopped
      def self.draw(random) = new(%i[worker mold service].sample(random: random), random.rand)

      #: (Symbol, Float) -> void
      def initialize(role, share)
        @role = role
        @share = share
      end

      #: () -> String
      def to_s = "#{@role} stopped for good"

      #: (Field) -> bool
      def inject(field)
        pid = field.someone(@role, @share)
        return false unless pid && field.hit(:STOP, pid, :stop, self)

        field.signal(:USR2, field.monitor)
      end
    end
  end
end
