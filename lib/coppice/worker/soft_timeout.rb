# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"
require "coppice/os/clock"
require "coppice/worker/out_of_band"

module Coppice
  class Worker
    # Makes a worker exit whose request takes too long. The worker can still log which request it was, and answer the
    # client. Runs on a helper thread; the application's cleanup and before_worker_exit run on the main thread.
    #
    # It costs a request nothing: the RequestClock writes the deadline to the board, and this thread looks at it when
    # it may have passed. A deadline that is lowered wakes the thread. The thread also shows a long request in the
    # process title, and answers the monitor's questions for backtraces.
    class SoftTimeout
      TITLE_SECONDS = 5 # maximum age of the process title of a worker that is never idle

      # What the after_worker_timeout hook gets as its third argument: the thread that serves, and the Rack env of its
      # request, nil without one.
      Overdue = Struct.new(:thread, :rack_env) do
        # Copies the serving thread's locals to the hook's own thread, for cleanup code that looks for its state there.
        #: () -> void
        def copy_thread_variables!
          thread.keys.each { |key| Thread.current[key] = thread[key] }
          thread.thread_variables.each do |name|
            Thread.current.thread_variable_set(name, thread.thread_variable_get(name))
          end
        end
      end

      #: (Worker, RequestClock, Inspection) -> void
      def initialize(worker, clock, inspection)
        @worker = worker
        @clock = clock
        @membership = worker.membership
        @row = worker.membership.row
        @settings = worker.inheritance.settings
        @shortest = @settings.shortest_timeout
        @main = Thread.current
        @inspection = inspection
        @lock = Mutex.new
        @expired = false
      end

      #: () -> Thread
      def start
        Thread.new { watch }.tap { |thread| thread.name = "coppice timeout" }
      end

      # Whether the worker exits because a request is past its deadline: then it must not accept another client. The
      # main thread calls this between two clients. It waits for the lock only while the other thread decides.
      #: () -> bool
      def expired? = @expired && @lock.synchronize { @expired }

      # How long the main thread may take to exit: a request that is past its deadline has used up its time.
      #: () -> Numeric
      def seconds_to_exit
        expired? ? (@deadline_ms - OS::Clock.now_ms) / 1000.0 : @settings.timeout
      end

      # The deadline of the request in flight is now an earlier one.
      #: () -> void
      def deadline_lowered = @inspection.wake

      private

      def watch
        show_and_wait until @lock.synchronize { decide }
        @working = @row.out_of_band?
        overdue = Overdue.new(@main, @clock.env)
        expire(overdue)
        exit_main_thread(overdue)
      end

      # Reads the deadline twice. Between the two reads the request may end, and the main thread may accept the next
      # client, whose deadline has not passed. After the second read the main thread can only finish its request, and
      # then sees that it must exit.
      def decide
        return false unless passed?(@row.deadline_ms)

        @expired = true
        @deadline_ms = @row.deadline_ms
        @expired = passed?(@deadline_ms)
      end

      def passed?(deadline_ms) = deadline_ms.positive? && OS::Clock.now_ms > deadline_ms

      # A deadline that is lowered before the wait begins ends it at once.
      def show_and_wait
        show_request
        @inspection.wait(seconds_left)
      end

      # Shows a long request in the process title: the main thread writes the title only when it is idle.
      def show_request
        started_ms = @row.started_ms
        return if started_ms.zero?

        seconds = (OS::Clock.now_ms - started_ms) / 1000
        @membership.status = "#{@row.requests} requests, #{@row.request} for #{seconds} s"
        @worker.note_long_request if seconds >= TITLE_SECONDS
      end

      # Seconds until the deadline or the next title. The shortest timeout limits them as well: a request that starts
      # meanwhile cannot reach its deadline earlier than that.
      def seconds_left
        deadline_ms = @row.deadline_ms
        seconds = deadline_ms.zero? ? @shortest : seconds_until(deadline_ms)
        [seconds, @shortest, TITLE_SECONDS].min
      end

      # One millisecond is added, so that the thread wakes after the deadline.
      def seconds_until(deadline_ms)
        [(deadline_ms - OS::Clock.now_ms + 1) / 1000.0, 0].max
      end

      def expire(overdue)
        @row.timed_out = 1
        @row.count(:timeouts) if overdue.rack_env # else it is an exit hook
        attempt("could not report a timeout") { report(overdue) }
        attempt("could not answer an overdue request") { @worker.answer_overdue }
        attempt("after_worker_timeout failed") do
          @settings.hook(:after_worker_timeout)&.call(@worker.inheritance.hook_context, @worker, overdue)
        end
      end

      # Whatever fails, the next step follows and the worker exits.
      def attempt(failure)
        yield
      rescue UserCodeError => error
        @worker.log.exception(failure, error)
      end

      # Has the same effect as `exit` on the main thread: bodies are closed, before_worker_exit and at_exit handlers
      # run. If the request has ended meanwhile, the main thread exits already, and this must not interrupt its exit
      # hook. If the application rescues even SystemExit, the monitor kills the worker. In case the monitor is gone,
      # exit! does.
      def exit_main_thread(overdue)
        @main.raise(SystemExit) unless (overdue.rack_env || @working) && @row.started_ms.zero?
        Kernel.sleep(@settings.timeout_cleanup + 1)
        exit!(1)
      end

      # The stack also goes to the board: if the worker must be killed, the monitor reports it.
      def report(overdue)
        @row.stack = backtrace = Log::Text.frames(@main.backtrace).join("\n")
        env = overdue.rack_env
        what = overdue_work(env)
        return @worker.log.error("#{what} timed out", backtrace: backtrace) unless env

        @worker.log.error("#{what} timed out", seconds: age, method: env["REQUEST_METHOD"], path: env["PATH_INFO"],
                                               request_id: env["HTTP_X_REQUEST_ID"], **hint(env),
                                               backtrace: backtrace)
      end

      def overdue_work(env)
        return @working ? OutOfBand::NAME : "before_worker_exit" unless env

        @row.answered_ms.zero? ? "request" : "work after the response"
      end

      # For an application that took env["coppice.timeout"] for a place to write a number to.
      def hint(env)
        limit = env["coppice.timeout"]
        return {} unless limit.is_a?(Numeric)

        { hint: "env[\"coppice.timeout\"] = #{limit} has no effect: use env[\"coppice.timeout\"].call(#{limit})" }
      end

      # Age of the request in seconds.
      def age = (OS::Clock.now_ms - @row.started_ms) / 1000.0
    end
  end
end
