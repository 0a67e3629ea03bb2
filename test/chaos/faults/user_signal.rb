# frozen_string_literal: true

module Chaos
  module Faults
    # No fault, but a signal that a user may send to the server meanwhile.
    class UserSignal
      NAME = "user signal"

      #: (Random) -> UserSignal
      def self.draw(random) = new(%i[USR2 TTIN TTOU].sample(random: random))

      #: (Symbol) -> void
      def initialize(name)
        @name = name
      end

      #: () -> String
      def to_s = "#{NAME} #{@name}"

      #: (Target) -> bool
      def inject(target)
        target.signal(bounded(target.server.board.workers_count), target.monitor)
      end

      private

      # Keeps the number of workers between 2 and 6.
      def bounded(count)
        return :TTOU if @name == :TTIN && count > 5
        return :TTIN if @name == :TTOU && count < 3

        @name
      end
    end
  end
end
