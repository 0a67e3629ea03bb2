# frozen_string_literal: true

module Coppice
  class Observer
    # Places for so many threads at once, at work that may take long. Nobody waits for one.
    class Places
      #: (Integer) -> void
      def initialize(count)
        @free = count
        @taking = Mutex.new
      end

      # Runs the block and returns what it does; nil, without running it, where no place is free.
      #: [T] () { () -> T } -> T?
      def take
        return unless reserve

        begin
          yield
        ensure
          @taking.synchronize { @free += 1 }
        end
      end

      private

      def reserve = @taking.synchronize { @free.positive? && @free -= 1 }
    end
  end
end
