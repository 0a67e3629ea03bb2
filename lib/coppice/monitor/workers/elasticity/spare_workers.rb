# frozen_string_literal: true

module Coppice
  class Monitor
    class Elasticity
      # How many workers were never needed at the same time as the others, over some seconds.
      class SpareWorkers
        #: (Float) -> void
        def initialize(seconds)
          @seconds = seconds
        end

        # Returns their number once the seconds are over, and begins anew; 0 before.
        #: (Integer, Integer, Float) -> Integer
        def count(workers, needed, now)
          begin_with(workers, now) if workers != @workers
          @peak = [@peak, needed].max
          return 0 if now < @ends_at

          @workers = nil
          [workers - @peak, 0].max
        end

        private

        def begin_with(workers, now)
          @workers = workers
          @ends_at = now + @seconds
          @peak = 0
        end
      end
    end
  end
end
