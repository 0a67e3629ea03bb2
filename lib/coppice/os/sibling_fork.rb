# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/log/plain_line"
require "coppice/os/clock"
require "coppice/os/loading_threads"
require "coppice/os/standard_streams"

module Coppice
  module OS
    # Forks a *sibling*: a copy of the calling process (a mold or a worker) that is a child of the monitor, not of the
    # caller.
    #
    # The caller forks a middle process, which forks the sibling and exits; the kernel gives the orphan to the nearest
    # subreaper, the monitor. The fork handlers of glibc and Ruby run each time. An application may have made the caller
    # a subreaper: it is none until then, unless the siblings are to be the caller's.
    class SiblingFork
      CANNOT_FORK = 71 # EX_OSERR of sysexits.h
      HELD = "another thread prevents forks for longer than %s s: Coppice.prevent_fork is for short calls"

      @forking = false
      @prepare = nil

      class << self
        # Called right before each fork, within what the application has wrapped it in.
        #: () -> void
        def fork_begins = @prepare&.call

        #: [T] (^() -> void) { () -> T } -> T
        def preparing(prepare)
          @prepare = prepare
          yield
        ensure
          @prepare = nil
        end

        # Called in each process that was just forked, before any hook of the user's: a middle process dies with the
        # process that forked it. Otherwise one that hangs in such a hook would stay forever.
        #: () -> void
        def forked
          OS.parent_death_signal(Signal.list.fetch("KILL")) if @forking
          @forking = false
          @prepare = nil
        end

        # The fork in the block makes a middle process.
        #: () { () -> Integer? } -> Integer?
        def forking
          @forking = true
          yield
        ensure
          @forking = false
        end
      end

      attr_reader :failure #: String? -- why the last call made no sibling
      attr_reader :loading #: Array[Thread] -- those that had not finished loading code when the last call forked

      # timeout: seconds that the middle process may take. One that takes longer hangs in a fork handler, and is killed.
      # patience: seconds to wait before that for threads which must not be interrupted by a fork.
      # adopts: a caller that is a subreaper becomes the parent itself.
      # prepare: called right before each fork, within the application's wrappers of Process._fork, with whether the
      # process that forks exits after it: a middle process.
      #: (lock: ForkLock, timeout: Numeric, patience: Numeric, ?adopts: bool, ?prepare: ^(bool) -> void) -> void
      def initialize(lock:, timeout:, patience:, adopts: false, prepare: ->(_) {})
        @lock = lock
        @timeout = timeout
        @patience = patience
        @adopts = adopts
        @prepare = prepare
        @loading = []
        @loading_threads = LoadingThreads.new
      end

      # In the caller: waits until no other thread loads code or prevents forks; returns whether the sibling was made.
      # If not, `failure` says why.
      # In the caller, or in the middle process, which then exits: calls `announce` with the pid of the sibling.
      # In the sibling: yields, on the caller's stack, so the block must throw.
      #: (announce: ^(Integer) -> void) { () -> bot } -> bool
      def call(announce:, &life)
        @failure = nil
        limit = Clock.now + @patience
        @loading = @loading_threads.wait_until(limit)
        under_its_parent do
          copy = fork_copy(limit)
          copy == :here ? live(announce, &life) : copy && succeeded?(copy)
        end
      end

      private

      # The flag is the caller's: the kernel gives it to no copy, and a copy leaves the block by a throw.
      def under_its_parent
        return yield if @adopts

        forking, was_subreaper = Process.pid, OS.subreaper?
        OS.subreaper = false
        yield
      ensure
        OS.subreaper = was_subreaper if Process.pid == forking
      end

      # In the middle process; returns in the sibling only.
      def live(announce, &life)
        middle = Process.pid
        confined { fork_and_exit(announce) }
        confined { wait_for_adoption(middle).then(&life) }
      end

      # The pid of the middle process; :here in that process; false when it could not be forked. An
      # error in that process comes from the user's hooks of Process._fork: let through, it would make that process a
      # second caller, on the same channel.
      def fork_copy(limit)
        forking = Process.pid
        copy = @lock.synchronize_until(limit) do
          self.class.forking { fork_unflushed(exits: false) } || :here
        end
        @failure = format(HELD, @patience) unless copy
        copy || false
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: no error may come out of the copy
        exit_copy(error) unless Process.pid == forking
        raise unless error.is_a?(StandardError)

        @failure = error.is_a?(SystemCallError) ? error.message : "#{error.message} (#{error.class})"
        false
      end

      # Returns in the sibling only. `exit!` runs no at_exit handler: they are the caller's.
      def fork_and_exit(announce)
        sibling = fork_unflushed(exits: true) or return
        announce.call(sibling)
        exit!(0)
      end

      # Where no process is left, Process.fork waits for one; this says so.
      def fork_unflushed(exits:)
        OS.probe_fork
        StandardStreams.unflushed do
          self.class.preparing(-> { @prepare.call(exits) }) { Process.fork }
        end
      end

      # The sibling may not register before the monitor is its parent.
      def wait_for_adoption(middle)
        Kernel.sleep(0.0005) while Process.ppid == middle
      end

      # An error in a new process must not unwind the caller's stack in it. A throw passes.
      def confined
        yield
      rescue StandardError, ScriptError, NoMemoryError, SystemExit, SignalException => error
        exit_copy(error)
      end

      def exit_copy(error)
        warn Log::PlainLine.of("a fork failed in the new process #{Process.pid}: #{error.message} (#{error.class})")
      ensure # standard error may be gone
        exit!(CANNOT_FORK)
      end

      # A middle process whose status nobody knows counts as one that has made the sibling. If it has not, no pid was
      # announced, and the monitor sees that the sibling's channel ends.
      def succeeded?(middle)
        status = exit_of(middle)
        overdue = status.nil?
        status ||= kill_middle(middle)
        return true if status == :unknown ? !overdue : status.success?

        @failure = "the middle process #{overdue ? "took longer than #{@timeout} s" : ending(status)}"
        false
      end

      def kill_middle(middle)
        unless_reaped do
          Process.kill(:KILL, middle)
          Process.wait2(middle).last
        end
      end

      def ending(status)
        return "was killed by SIG#{Signal.signame(status.termsig)}" if status.signaled?

        "exited with status #{status.exitstatus}#{': standard error says why' if status.exitstatus == CANNOT_FORK}"
      end

      # nil when it takes too long. A signal may interrupt the wait, so it is bounded by the clock; a kernel without
      # pidfd, or a sandbox that denies it, is asked again and again.
      def exit_of(middle)
        deadline = Clock.now + @timeout
        unless_reaped do
          while (left = deadline - Clock.now).positive?
            Kernel.sleep(0.001) if OS.wait_exit(middle, (left * 1000).ceil).nil?
            _, status = Process.wait2(middle, Process::WNOHANG)
            break status if status
          end
        end
      end

      # :unknown when somebody else was faster: many an application has a trap for SIGCHLD that waits for any child, or
      # ignores that signal, and then the kernel reaps.
      def unless_reaped
        yield
      rescue Errno::ECHILD, Errno::ESRCH
        :unknown
      end
    end
  end
end
