# frozen_string_literal: true

module Coppice
  # Tells the machine's fault from the code's: a thread that does nothing but sleep notes how much too late it wakes up.
  # The runner's process has little else to do, so a long gap means that the machine stood still or was busy.
  class StallMeter
    TICK = 0.05 # seconds
    NOTED = 0.2 # gaps that are shorter are not kept

    def initialize
      @gaps = [] # [when it ended, seconds]
      @thread = Thread.new { tick }
    end

    # The longest gap since a time of the monotonic clock, in seconds; 0.0 for none worth a note.
    def longest_since(began) #: (Float) -> Float
      @gaps.select { |ended, _| ended > began }.map(&:last).max || 0.0
    end

    def stop = @thread.kill.join #: () -> Thread

    private

    def tick
      before = now
      loop do
        sleep TICK
        gap = now - before - TICK
        before = now
        @gaps << [before, gap] if gap > NOTED
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
