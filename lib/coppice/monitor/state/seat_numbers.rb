# frozen_string_literal: true

module Coppice
  class Monitor
    # Which workers have which seats at the lobby, and which seat the next one gets. The lobby knows by its seat what a
    # worker has taken. If a loop that stands still hears of a death late, a successor on the same seat may have taken
    # requests, and they would count as lost with the dead worker.
    class SeatNumbers
      SEATS = 2048 # COPPICE_LOBBY_SEATS
      SPARE = 64 # how many times a worker must be replaced until a seat is given again

      def initialize
        @numbers = {}.compare_by_identity # by worker
        @taken = {}
        @left = {} # the keys are numbers, the one that was left last at the end
        @first_fresh = 0 # or lower than it
      end

      # A worker may have got a seat, or lost it with its lobby. The next lobby knows nothing of the seats at the last.
      #: (Handle) -> void
      def look(worker)
        before, number = @numbers[worker], worker.seat&.number
        return if before == number

        forget(worker, before) if before
        take(worker, number) if number
      end

      # The worker is gone.
      #: (Handle) -> void
      def leave(worker)
        number = @numbers.delete(worker) or return
        @taken.delete(number)
        @left[number] = true
      end

      # The number that no worker has for longest, and of those that none ever had the lowest.
      #: () -> Integer
      def next
        limit = [@taken.size + SPARE, SEATS].min
        @first_fresh += 1 while @taken.key?(@first_fresh) || @left.key?(@first_fresh)
        return @first_fresh if @first_fresh < limit

        @left.each_key.find { |number| number < limit }
      end

      private

      def take(worker, number)
        @numbers[worker] = number
        @taken[number] = true
        @left.delete(number)
      end

      def forget(worker, number)
        @numbers.delete(worker)
        @taken.delete(number)
        @first_fresh = number if number < @first_fresh
      end
    end
  end
end
