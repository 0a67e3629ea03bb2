# frozen_string_literal: true

require "coppice/os/clock"

module Coppice
  class Worker
    # Ends a worker whose request takes too long, while the worker can still say
    # which one it was and answer its client. Runs in the worker process, on one helper thread; what the application and
    # before_worker_exit have to clean up runs on the main thread.
    #
    # It costs nothing per request: a request only writes its deadline to the board.
    # The thread sleeps for the whole timeout at a time; a deadline set after it fell
    # asleep cannot pass before it wakes, and one that is lowered wakes it.
    class SoftTimeout
      # What the after_worker_timeout hook gets as its third argument.
      class Overdue
        attr_reader :thread #: Thread -- the one that serves
        attr_reader :rack_env #: Hash[String, untyped]?

        #: (Thread, Hash[String, untyped]?) -> void
        def initialize(thread, rack_env)
          @thread = thread
          @rack_env = rack_env
        end

        # Copies the serving thread's locals to the hook's own, for cleanup code that
        # looks for its state there.
        #: () -> void
        def copy_thread_variables!
          thread.keys.each { |key| Thread.current[key] = thread[key] }
          thread.thread_variables.each { |name| Thread.current.thread_variable_set(name, thread.thread_variable_get(name)) }
        end
      end

      attr_writer :env #: Hash[String, untyped]? -- of the request in flight

      #: (Worker) -> void
      def initialize(worker)
        @worker = worker
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

      # Whether the worker ends for a request that is past its time: it may accept no other client. Asked on the main thread
      # between two clients, so it waits only while that is being decided.
      #: () -> bool
      def expired? = @expired && @lock.synchronize { @expired }

      # How long the main thread may take to leave: a request that is past its time has had it already.
      #: () -> Numeric
      def seconds_to_leave = expired? ? (@deadline_ms - OS::Clock.now_ms) / 1000.0 : @settings.timeout

      # The deadline of the request in flight has come nearer.
      #: () -> void
      def deadline_lowered = @lock.synchronize { @lowered.signal }

      private

      def watch
        @lock.synchronize { pause until decide }
        overdue = Overdue.new(@main, @env)
        expire(overdue)
        leave(overdue)
      end

      # Looks twice. The request may end after the first look, and the main thread accept the next client, whose time is not
      # over. After the second it can only end: then the main thread finds that it must leave.
      def decide
        return false unless passed?(@row.deadline_ms)

        @expired = true
        @deadline_ms = @row.deadline_ms
        @expired = passed?(@deadline_ms)
      end

      def passed?(deadline_ms) = deadline_ms.positive? && OS::Clock.now_ms > deadline_ms

      # Lets go of the lock for as long as it lasts.
      def pause = @lowered.wait(@lock, seconds_left)

      def seconds_left
        deadline_ms = @row.deadline_ms
        return @settings.timeout if deadline_ms.zero?

        # A hair later than the deadline, so that waking up finds it passed.
        [(deadline_ms - OS::Clock.now_ms + 1) / 1000.0, 0].max
      end

      def expire(overdue)
        @row.timed_out = 1
        report(overdue)
        @worker.answer_overdue
        @settings.hook(:after_worker_timeout)&.call(@worker.inheritance.server, @worker, overdue)
      rescue StandardError, ScriptError => error # the user's hook: the worker ends all the same
        @worker.log.exception("after_worker_timeout failed", error)
      end

      # As `exit` would in the serving thread: bodies are closed, before_worker_exit and at_exit handlers run. Not when the
      # request has ended meanwhile: that thread leaves already, and its exit hook should not be cut short.
      # Usually it is the monitor that ends a worker which rescues even that; but the
      # monitor may be gone.
      def leave(overdue)
        @main.raise(SystemExit) unless overdue.rack_env && @row.started_ms.zero?
        sleep(@settings.timeout_cleanup + 1)
        exit!(1)
      end

      # Of the request, in seconds.
      def age = (OS::Clock.now_ms - @row.started_ms) / 1000.0

      def report(overdue)
        backtrace = (@main.backtrace || []).join("\n")
        env = overdue.rack_env
        return @worker.log.error("before_worker_exit timed out", backtrace: backtrace) unless env

        @worker.log.error("request timed out", seconds: age, method: env["REQUEST_METHOD"], path: env["PATH_INFO"], backtrace: backtrace)
      end
    end
  end
end
