# frozen_string_literal: true

module Chaos
  # The times in which the driver itself did not run: a thread that does nothing but sleep has woken up much too late.
  # On such a machine the server and its clients did not run either, and their limits of seconds say nothing.
  class Gaps
    TICK = 0.05 # seconds
    NOTED = 1 # seconds; no limit of the server is shorter

    def initialize
      @gaps = []
      @thread = Thread.new { watch }
    end

    # Monotonic seconds, from and to.
    #: () -> Array[Range[Float]]
    def to_a = @gaps.dup

    #: () -> Thread
    def stop = @thread.kill.join

    private

    def watch
      before = now
      loop do
        sleep TICK
        @gaps << (before..now) if now - before > NOTED
        before = now
      end
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
