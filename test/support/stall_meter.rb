# frozen_string_literal: true

module Coppice
  # Tells the machine's fault from the code's: a thread that does nothing but sleep notes how much too late it wakes up.
  # Its process has little else to do, so a long gap means that the machine stood still or was busy.
  class StallMeter
    TICK = 0.05 # seconds

    # noted: seconds; gaps that are shorter are not kept.
    def initialize(noted: 0.2) #: (?noted: Numeric) -> void
      @noted = noted
      @gaps = []
      @thread = Thread.new { tick }
    end

    # From when to when, by the monotonic clock.
    def gaps = @gaps.dup #: () -> Array[Range[Float]]

    # The longest gap since a time of the monotonic clock, in seconds; 0.0 for none worth a note.
    def longest_since(began) #: (Float) -> Float
      gaps.select { |gap| gap.end > began }.map { |gap| late(gap) }.max || 0.0
    end

    def stop = @thread.kill.join #: () -> Thread

    private

    def tick
      before = now
      loop do
        sleep TICK
        gap = before..now
        before = gap.end
        @gaps << gap if late(gap) > @noted
      end
    end

    # Seconds beyond the sleep.
    def late(gap) = gap.end - gap.begin - TICK

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
