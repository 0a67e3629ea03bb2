# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/worker/deadline"

module Coppice
  class Worker
    # What a worker does before and after each request: it notes the request on the board, calls the user's hook, and
    # measures its memory when that is due. Most requests need no more than one call to the RequestClock when they start
    # and one when they end.
    class RequestCycle
      attr_reader :worker   #: Worker
      attr_writer :meter    #: GCProfile::AllocationMeter? -- measures what the next requests allocate
      attr_reader :deadline #: Deadline -- env["coppice.timeout"] of all requests, one of which is served at a time

      #: (Worker, RequestClock, Deadline, Memory::MemorySampler) -> void
      def initialize(worker, clock, deadline, sampler)
        @worker = worker
        @membership = worker.membership
        @row = worker.membership.row
        @clock = clock
        @deadline = deadline
        @sampler = sampler
        settings = worker.inheritance.settings
        @after_request = settings.hook(:after_request_complete)
        @limit = settings.request_limit(worker.generation)
      end

      # No client is waiting.
      #: () -> void
      def idle
        @membership.status = "#{@clock.requests} requests, waiting"
      end

      # The requests until now were no client's: they do not count.
      #: () -> void
      def start_over = @clock.requests = 0

      # The server answers in the application's place, which was not called or is past its deadline.
      #: () -> void
      def request_refused = @row.refused += 1

      #: (Integer) -> void
      def headers_dropped(count) = @row.dropped_headers += count

      # The body is about to be read. Each wait for the client moves the deadline on: see Deadline#postpone.
      #: (Hash[String, untyped]) -> void
      def body_awaited(env) = @clock.start(env)

      # The body is read, or will not be.
      #: () -> void
      def body_ended = @clock.stop

      # The application is about to be called.
      #: (Hash[String, untyped]) -> void
      def request_started(env) = @clock.start(env)

      # The answer is written and its body closed, or the client is gone.
      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        requests = @after_request ? finish_with_hook(env) : @clock.finish
        @membership.tell(Control::Messages::RequestLimitReached.new(requests: requests)) if requests == @limit
        measure_request if @meter
        @sampler.sample if @clock.last_start_ms >= @sampler.due_ms # the client has its answer, and does not wait
      end

      private

      # The user's hook is within the deadline of the request: one that hangs would otherwise hold the worker forever.
      def finish_with_hook(env)
        requests = @clock.count_request
        call_hook(env)
        @clock.stop
        requests
      end

      # A worker that exited for a failing hook would be replaced by one whose hook fails as well.
      def call_hook(env)
        @after_request.call(@worker.inheritance.server, @worker, env)
      rescue StandardError, ScriptError => error # the user's
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
