# frozen_string_literal: true

module Coppice
  class Monitor
    class Elasticity
      # How many workers were never needed at the same time as the others, over some seconds.
      class SpareWorkers
        #: (Float) -> void
        def initialize(seconds)
          @seconds = seconds
          @peak = 0
        end

        # Returns their number once the seconds are over, and begins anew; 0 before.
        #: (Integer, Integer, Float) -> Integer
        def count(workers, needed, now)
          @ends_at = now + @seconds if @workers != workers || @ends_at.nil?
          @peak = 0 if @workers != workers
          @workers = workers
          @peak = [@peak, needed].max
          return 0 if now < @ends_at

          spare = [workers - @peak, 0].max
          @ends_at = @workers = nil
          spare
        end
      end
    end
  end
end
