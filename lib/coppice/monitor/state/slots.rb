# frozen_string_literal: true

module Coppice
  class Monitor
    # Which worker owns which slot. A worker owns its slot until it is gone, even while it exits.
    class Slots
      def initialize
        @owners = {}
        @first_empty = 0 # or lower than it
      end

      #: (Handle) -> void
      def take(worker) = @owners[worker.nr] = worker

      #: (Handle) -> void
      def leave(worker)
        return unless @owners[worker.nr].equal?(worker)

        @owners.delete(worker.nr)
        @first_empty = worker.nr if worker.nr < @first_empty
      end

      # The lowest slot that no worker owns.
      #: () -> Integer
      def first_empty
        @first_empty += 1 while @owners.key?(@first_empty)
        @first_empty
      end

      # The lowest one that is not below this number.
      #: (Integer) -> Integer
      def first_empty_from(number) = (number..).find { |nr| !@owners.key?(nr) }
    end
  end
end
