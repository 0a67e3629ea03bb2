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

      @forking_middle = false

      class << self
        # Called in each process that was just forked, before any hook of the user's: a middle process ends with the one
        # that forked it, or one that hangs in such a hook would be nobody's for ever.
        #: () -> void
        def born
          OS.parent_death_signal(Signal.list.fetch("KILL")) if @forking_middle
          @forking_middle = false
        end

        #: () { () -> Integer? } -> Integer?
        def forking_middle
          @forking_middle = true
          yield
        ensure
          @forking_middle = false
        end
      end

      attr_reader :failure #: String? -- why the last call made no sibling

      # timeout: seconds that the middle process may take; one that takes longer
      # hangs in a fork handler and is killed.
      #: (lock: ForkLock, timeout: Numeric) -> void
      def initialize(lock:, timeout:)
        @lock = lock
        @timeout = timeout
      end

      # In the caller: true when the sibling was made; else `failure` says why not.
      # In the middle process: tells `announce` the sibling's pid, and leaves.
      # In the sibling: yields, on the caller's stack, so the block must throw.
      #: (announce: ^(Integer) -> void) { () -> bot } -> bool
      def call(announce:, &life)
        @failure = nil
        middle = fork_middle
        return middle && left_well?(middle) unless middle == :here

        middle = Process.pid
        confined { fork_and_leave(announce) }
        confined { wait_for_adoption(middle).then(&life) }
      end

      private

      # The middle's pid; :here in the middle; false when there can be none. An error in the middle is one of the user's
      # hooks of Process._fork: let through, it would make that process a second caller, on the same channel.
      def fork_middle
        forking = Process.pid
        @lock.synchronize { self.class.forking_middle { Process.fork } } || :here
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: no error may come out of the copy
        leave_copy(error) unless Process.pid == forking
        raise unless error.is_a?(SystemCallError)

        @failure = error.message
        false
      end

      # Returns in the sibling only. `exit!` runs no at_exit handler: they are the caller's.
      def fork_and_leave(announce)
        sibling = Process.fork or return
        announce.call(sibling)
        exit!(0)
      end

      # The sibling may not register before the monitor is its parent.
      def wait_for_adoption(middle)
        sleep(0.0005) while Process.ppid == middle
      end

      # Whatever is raised in a new process must not unwind the caller's stack in it. A throw passes.
      def confined
        yield
      rescue StandardError, ScriptError, NoMemoryError, SystemExit, SignalException => error
        leave_copy(error)
      end

      def leave_copy(error)
        warn "coppice: a fork failed: #{error.message} (#{error.class})"
        exit!(CANNOT_FORK)
      end

      def left_well?(middle)
        status = exit_of(middle)
        overdue = status.nil?
        status ||= end_middle(middle)
        return true if status.success?

        @failure = "the middle process #{overdue ? "took longer than #{@timeout} s" : ending(status)}"
        false
      end

      def end_middle(middle)
        Process.kill(:KILL, middle)
        Process.wait2(middle).last
      end

      def ending(status)
        return "was ended by SIG#{Signal.signame(status.termsig)}" if status.signaled?

        "exited with status #{status.exitstatus}#{': standard error says why' if status.exitstatus == CANNOT_FORK}"
      end

      # nil when it takes too long. A signal may interrupt the wait, so it is bounded by
      # the clock; a kernel without pidfd, or a sandbox that denies it, is asked again and again.
      def exit_of(middle)
        deadline = Clock.now + @timeout
        while (left = deadline - Clock.now).positive?
          sleep(0.001) if OS.wait_exit(middle, (left * 1000).ceil).nil?
          _, status = Process.wait2(middle, Process::WNOHANG)
          return status if status
        end
      end
    end
  end
end
