# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  module OS
    # Forks a *sibling*: a copy of the calling process (a mold or a worker) that
    # is a child of the monitor, not of the caller.
    #
    # The caller forks a middle process, which forks the sibling and leaves; the
    # kernel gives the orphan to the nearest subreaper, the monitor. A plain double
    # fork rather than clone(CLONE_PARENT), so that glibc's and Ruby's own fork
    # handlers run.
    class SiblingFork
      CANNOT_FORK = 71 # EX_OSERR of sysexits.h

      # timeout: seconds that the middle process may take; one that takes longer
      # hangs in a fork handler and is killed.
      #: (lock: ForkLock, timeout: Numeric) -> void
      def initialize(lock:, timeout:)
        @lock = lock
        @timeout = timeout
      end

      # In the caller: true when the sibling was made.
      # In the middle process: tells `announce` the sibling's pid, and leaves.
      # In the sibling: yields, on the caller's stack, so the block must throw.
      #: (announce: ^(Integer) -> void) { () -> bot } -> bool
      def call(announce:)
        middle = @lock.synchronize { Process.fork }
        return left_well?(middle) if middle

        middle = Process.pid
        fork_and_leave(announce)
        wait_for_adoption(middle)
        yield
      end

      private

      # Returns in the sibling only. `exit!` runs no at_exit handler: they are the caller's.
      def fork_and_leave(announce)
        sibling = Process.fork or return
        announce.call(sibling)
        exit!(0)
      rescue SystemCallError => error
        warn "coppice: cannot fork: #{error.message}"
        exit!(CANNOT_FORK)
      end

      # The sibling may not register before the monitor is its parent.
      def wait_for_adoption(middle)
        sleep(0.0005) while Process.ppid == middle
      end

      def left_well?(middle)
        Process.kill(:KILL, middle) unless ended?(middle)
        _, status = Process.wait2(middle)
        status.success? || false # nil when a signal ended it
      end

      # A signal may interrupt the wait, so it is bounded by the clock.
      def ended?(middle)
        deadline = Clock.now + @timeout
        while (left = deadline - Clock.now).positive?
          return true if OS.wait_exit(middle, (left * 1000).ceil)
        end
        false
      end
    end
  end
end
