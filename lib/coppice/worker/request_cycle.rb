# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/errors"
require "coppice/worker/deadline"
require "coppice/worker/route_timeouts"

module Coppice
  class Worker
    # What a worker does before and after each request: it notes the request on the board, calls the user's hook, and
    # measures its memory when that is due. Most requests need no more than one call to the RequestClock when they start
    # and one when they end.
    class RequestCycle
      attr_reader :worker   #: Worker
      attr_writer :meter    #: GCProfile::AllocationMeter? -- measures what the next requests allocate
      attr_reader :deadline #: Deadline -- env["coppice.timeout"] of all requests, one of which is served at a time

      # paths: counts the paths of requests, if anybody does.
      #: (Worker, RequestClock, Deadline, Memory::MemorySampler, PathCounter?, ForkSafetyWatch) -> void
      def initialize(worker, clock, deadline, sampler, paths, fork_safety)
        @worker = worker
        @membership = worker.membership
        @row = worker.membership.row
        @clock = clock
        @deadline = deadline
        @counting = false
        @sampler = sampler
        @paths = paths
        @fork_safety = fork_safety
        settings = worker.inheritance.settings
        @after_request = settings.hook(:after_request_complete)
        @limit = settings.request_limit(worker.generation)
        @timeouts = RouteTimeouts.of(settings)
      end

      # Called when no client is waiting.
      #: () -> void
      def idle
        @membership.status = "#{@clock.requests} requests, waiting"
      end

      # The requests until now were the worker's own. From now on they count for the totals of the server, which never
      # go back.
      #: () -> void
      def begin_counting
        @clock.begin_counting
        @counting = true
      end

      # Called when the server answers instead of the application, which was not called or is past its deadline.
      #: () -> void
      def request_refused = (@row.count(:refused) if @counting)

      #: (Integer) -> void
      def headers_dropped(number) = (@row.count(:dropped_headers, number) if @counting)

      # Called before the body is read. Each wait for the client moves the deadline: see Deadline#postpone.
      #: (Hash[String, untyped]) -> void
      def body_awaited(env) = start(env)

      # Called when the body was read, or will not be read.
      #: () -> void
      def body_ended = @clock.stop

      # Called right before the application.
      #: (Hash[String, untyped]) -> void
      def request_started(env) = start(env)

      # Called when the client has its response, or is gone, and the application has left work for that time.
      #: () -> void
      def request_answered = @deadline.answered

      # Called when nothing of the request is left but the user's hook.
      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        requests = @after_request ? finish_with_hook(env) : @clock.finish
        @membership.tell(Control::Messages::RequestLimitReached.new(requests: requests)) if requests == @limit
        @fork_safety.look
        measure_request if @meter
        @paths.report if @paths&.due?
        @sampler.sample if @clock.last_start_ms >= @sampler.due_ms # the client has its response already
      end

      private

      def start(env)
        @timeouts ? @clock.start(env, @timeouts.limit_ms(env["PATH_INFO"])) : @clock.start(env)
      end

      # The user's hook has a deadline: otherwise a hook that hangs would block the worker forever.
      def finish_with_hook(env)
        requests = @clock.count_request
        @deadline.answered
        call_hook(env)
        @clock.end_request
        requests
      end

      # An error in the hook does not end the worker: the hook would fail in the next worker as well.
      def call_hook(env)
        @after_request.call(@worker.inheritance.hook_context, @worker, env)
      rescue UserCodeError => error # the user's
        @worker.log.exception("after_request_complete failed", error)
      end

      def measure_request
        measurement = @meter.look or return
        @row.allocations = measurement.to_s
        @meter = nil
      end
    end
  end
end
