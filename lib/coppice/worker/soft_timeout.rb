# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  class Worker
    # Ends a worker whose request takes too long, while the worker can still log which request it was and answer its
    # client. Runs on a helper thread of the worker; the cleanup of the application and before_worker_exit run on the
    # main thread.
    #
    # It costs a request nothing: the RequestClock writes the deadline to the board, and this thread looks at it when
    # it may have passed. A deadline that is lowered wakes the thread. The thread also shows a long request in the
    # process title.
    class SoftTimeout
      # The process title of a worker that is never idle is at most this old.
      TITLE_SECONDS = 5

      # What the after_worker_timeout hook gets as its third argument.
      class Overdue
        attr_reader :thread #: Thread -- the one that serves
        attr_reader :rack_env #: Hash[String, untyped]?

        #: (Thread, Hash[String, untyped]?) -> void
        def initialize(thread, rack_env)
          @thread = thread
          @rack_env = rack_env
        end

        # Copies the serving thread's locals to the hook's own thread, for cleanup code that looks for its state there.
        #: () -> void
        def copy_thread_variables!
          thread.keys.each { |key| Thread.current[key] = thread[key] }
          thread.thread_variables.each do |name|
            Thread.current.thread_variable_set(name, thread.thread_variable_get(name))
          end
        end
      end

      #: (Worker, RequestClock) -> void
      def initialize(worker, clock)
        @worker = worker
        @clock = clock
        @membership = worker.membership
        @row = worker.membership.row
        @settings = worker.inheritance.settings
        @main = Thread.current
        @lock = Mutex.new
        @lowered = ConditionVariable.new
        @expired = false
      end

      #: () -> Thread
      def start
        @thread = Thread.new { watch }
        @thread.name = "coppice timeout"
        @thread
      end

      # Whether the worker exits because a request is past its deadline: then it may accept no other client. The main
      # thread asks between two clients, so it waits only while this is being decided.
      #: () -> bool
      def expired? = @expired && @lock.synchronize { @expired }

      # How long the main thread may take to exit: a request that is past its deadline has used up its time.
      #: () -> Numeric
      def seconds_to_exit
        expired? ? (@deadline_ms - OS::Clock.now_ms) / 1000.0 : @settings.timeout
      end

      # The deadline of the request in flight is now an earlier one.
      #: () -> void
      def deadline_lowered = @lock.synchronize { @lowered.signal }

      private

      def watch
        @lock.synchronize { show_and_wait until decide }
        overdue = Overdue.new(@main, @clock.env)
        expire(overdue)
        leave(overdue)
      end

      # Looks twice. The request may end after the first look, and the main thread may accept the next client, whose
      # deadline has not passed. After the second look it can only end its request: then it finds that it must exit.
      def decide
        return false unless passed?(@row.deadline_ms)

        @expired = true
        @deadline_ms = @row.deadline_ms
        @expired = passed?(@deadline_ms)
      end

      def passed?(deadline_ms) = deadline_ms.positive? && OS::Clock.now_ms > deadline_ms

      # Waiting releases the lock.
      def show_and_wait
        show_request
        @lowered.wait(@lock, seconds_left)
      end

      # The main thread writes the title only when it is idle.
      def show_request
        started_ms = @row.started_ms
        return if started_ms.zero?

        seconds = (OS::Clock.now_ms - started_ms) / 1000
        @membership.status = "#{@row.requests} requests, #{@row.request} for #{seconds} s"
      end

      # Until the deadline, or the next title. A deadline that is set meanwhile is later than that, unless the timeout
      # is shorter.
      def seconds_left
        deadline_ms = @row.deadline_ms
        seconds = deadline_ms.zero? ? @settings.timeout : seconds_until(deadline_ms)
        [seconds, @settings.timeout, TITLE_SECONDS].min
      end

      # One millisecond more, so that the thread wakes when the deadline has passed.
      def seconds_until(deadline_ms)
        [(deadline_ms - OS::Clock.now_ms + 1) / 1000.0, 0].max
      end

      def expire(overdue)
        @row.timed_out = 1
        report(overdue)
        @worker.answer_overdue
        @settings.hook(:after_worker_timeout)&.call(@worker.inheritance.server, @worker, overdue)
      rescue StandardError, ScriptError => error # the user's hook: the worker exits all the same
        @worker.log.exception("after_worker_timeout failed", error)
      end

      # As `exit` in the serving thread would: bodies are closed, before_worker_exit and at_exit handlers run. Not when
      # the request has ended meanwhile: then that thread exits already, and its exit hook should not be cut short. A
      # worker that rescues even SystemExit is usually killed by the monitor; but the monitor may be gone.
      def leave(overdue)
        @main.raise(SystemExit) unless overdue.rack_env && @row.started_ms.zero?
        sleep(@settings.timeout_cleanup + 1)
        exit!(1)
      end

      def report(overdue)
        backtrace = (@main.backtrace || []).join("\n")
        env = overdue.rack_env
        return @worker.log.error("before_worker_exit timed out", backtrace: backtrace) unless env

        @worker.log.error("request timed out", seconds: age, method: env["REQUEST_METHOD"], path: env["PATH_INFO"],
                                               backtrace: backtrace)
      end

      # Of the request, in seconds.
      def age = (OS::Clock.now_ms - @row.started_ms) / 1000.0
    end
  end
end
