# frozen_string_literal: true

require "monitor"
require "coppice/os/clock"

module Coppice
  module OS
    # Held around each fork, and by application threads inside Coppice.prevent_fork: if a thread held a native lock
    # (that of getaddrinfo, for example) at the instant of a fork, the lock would stay locked forever in the child.
    #
    # The lock's owner survives a fork: only the main thread forks, and it is the one thread that the child has.
    class ForkLock
      INTERVAL = 0.001 # seconds between two looks

      def initialize
        @lock = ::Monitor.new
        @wanted = false
      end

      # For threads that must not be interrupted by a fork. A fork that waits comes first.
      #: [T] () { () -> T } -> T
      def synchronize(&block)
        Kernel.sleep(INTERVAL) while @wanted && !@lock.mon_owned?
        @lock.synchronize(&block)
      end

      # For the thread that forks. A lookup of a name may take many seconds, so the wait has an end (monotonic seconds):
      # then this returns nil without having yielded.
      #: [T] (Float) { () -> T } -> T?
      def synchronize_until(time)
        @wanted = true
        until @lock.try_enter
          return if Clock.now >= time

          Kernel.sleep(INTERVAL)
        end
        begin
          yield
        ensure
          @lock.exit
        end
      ensure
        @wanted = false # in each process that a fork has left here
      end
    end
  end
end
