# frozen_string_literal: true

module Chaos
  module Faults
    # A process is stopped and never continued while it has nothing to do. The server cannot tell that from waiting,
    # until it sends the process a message. So this fault also requests a refork. A service that survives it gets none.
    # Neither does a process of a generation that is not committed yet: the commit fulfils the request.
    class StoppedForGood
      #: (Random) -> StoppedForGood
      def self.draw(random) = new(%i[worker mold service].sample(random: random), random.rand)

      #: (Symbol, Float) -> void
      def initialize(role, share)
        @role = role
        @share = share
      end

      #: () -> String
      def to_s = "#{@role} stopped for good"

      #: (Target) -> bool
      def inject(target)
        generation = target.server.board.generation
        pid = target.pick(@role, @share) { |row| row.generation <= generation && row.service_name != InService::LASTING }
        return false unless pid && target.hit(:STOP, pid, :stop, self)

        target.signal(:USR2, target.monitor)
      end
    end
  end
end
