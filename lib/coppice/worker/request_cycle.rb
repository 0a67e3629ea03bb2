# frozen_string_literal: true

require "coppice/os/clock"
require "coppice/worker/deadline"

module Coppice
  class Worker
    # What a worker does around each request: tells the board, ps, the soft timeout
    # and the user's hook, and now and then has it measure its memory. Runs in the worker process, on its main thread. No
    # system call but for that.
    class RequestCycle
      attr_reader :worker   #: Worker
      attr_writer :meter    #: GCProfile::AllocationMeter -- watches what the next requests allocate
      attr_reader :deadline #: Deadline -- env["coppice.timeout"]; one for all requests, since only one is served at a time

      #: (Worker, SoftTimeout, Memory::MemorySampler) -> void
      def initialize(worker, soft_timeout, sampler)
        @worker = worker
        @membership = worker.membership
        @row = worker.membership.row
        @soft_timeout = soft_timeout
        @sampler = sampler
        @deadline = Deadline.new(@row, soft_timeout)
        settings = worker.inheritance.settings
        @after_request = settings.hook(:after_request_complete)
        @timeout_ms = (settings.timeout * 1000).ceil
        @requests = @started_ms = 0
        @limit = settings.request_limit(worker.generation)
      end

      # Nobody waits to be served.
      #: () -> void
      def idle
        @membership.status = "#{@requests} requests, waiting"
      end

      # What was served until now was no client's.
      #: () -> void
      def start_over
        @row.requests = @requests = 0
      end

      # The server answers in the application's place: it was not called, or is past its time.
      #: () -> void
      def request_refused = @row.refused += 1

      #: (Integer) -> void
      def headers_dropped(count) = @row.dropped_headers += count

      # The body is about to be read. Each wait for the client moves the deadline on: see Deadline#postpone.
      #: (Hash[String, untyped]) -> void
      def body_awaited(env) = start_clock(env)

      # It is read, or will not be.
      #: () -> void
      def body_ended = stop_clock

      # The application is about to be called.
      #: (Hash[String, untyped]) -> void
      def request_started(env) = start_clock(env)

      # The answer is written and its body closed, or the client is gone. The user's hook
      # is still within the deadline: one that hangs would take the worker out for ever.
      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        @row.requests = (@requests += 1)
        call_hook(env) if @after_request
        stop_clock
        @membership.tell(Control::Messages::RequestLimitReached.new(requests: @requests)) if @requests == @limit
        measure_request if @meter
        @sampler.sample if @started_ms >= @sampler.due_ms # nobody waits for this worker now; the clock was read before
      end

      private

      # A worker that ended for it would take each of its successors along.
      def call_hook(env)
        @after_request.call(@worker.inheritance.server, @worker, env)
      rescue StandardError, ScriptError => error # the user's
        @worker.log.exception("after_request_complete failed", error)
      end

      def start_clock(env)
        now = OS::Clock.now_ms
        @soft_timeout.env = env
        @row.request = request = "#{env['REQUEST_METHOD']} #{env['PATH_INFO']}"
        @row.started_ms = @started_ms = now
        @row.deadline_ms = now + @timeout_ms
        @membership.status = "#{@requests} requests, #{request}"
      end

      def stop_clock
        @row.deadline_ms = @row.started_ms = 0
        @soft_timeout.env = nil
      end

      def measure_request
        measurement = @meter.look or return
        @row.allocations = measurement.to_s
        @meter = nil
      end
    end
  end
end
