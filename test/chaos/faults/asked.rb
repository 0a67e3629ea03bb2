# frozen_string_literal: true

module Chaos
  module Faults
    # No fault: what its user asks of the server in the middle of all that.
    class Asked
      NAME = "asked by"

      #: (Random) -> Asked
      def self.draw(random) = new(%i[USR2 TTIN TTOU].sample(random: random))

      #: (Symbol) -> void
      def initialize(name)
        @name = name
      end

      #: () -> String
      def to_s = "#{NAME} #{@name}"

      #: (Field) -> bool
      def inject(field)
        field.signal(bounded(field.server.board.workers_count), field.monitor)
      end

      private

      # Neither a crowd nor a server that one death silences.
      def bounded(count)
        return :TTOU if @name == :TTIN && count > 5
        return :TTIN if @name == :TTOU && count < 3

        @name
      end
    end
  end
end
