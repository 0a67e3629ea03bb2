# frozen_string_literal: true

require "coppice/os/clock"
require "coppice/worker/deadline"

module Coppice
  class Worker
    # What a worker does around each request: tells the board, ps, the soft timeout
    # and the user's hook. Runs in the worker process, on its main thread. No system call.
    class RequestCycle
      attr_reader :worker   #: Worker
      attr_reader :deadline #: Deadline -- env["coppice.timeout"]; one for all requests, since only one is served at a time

      #: (Worker, SoftTimeout) -> void
      def initialize(worker, soft_timeout)
        @worker = worker
        @membership = worker.membership
        @row = worker.membership.row
        @soft_timeout = soft_timeout
        @deadline = Deadline.new(@row)
        settings = worker.inheritance.settings
        @after_request = settings.hook(:after_request_complete)
        @timeout_ms = (settings.timeout * 1000).ceil
        @requests = 0
        @limit = settings.request_limit(worker.generation)
      end

      # Nobody waits to be served.
      #: () -> void
      def idle
        @membership.status = "#{@requests} requests, waiting"
      end

      # The server answers in the application's place: it was not called, or is past its time.
      #: () -> void
      def request_refused = @row.refused += 1

      #: (Integer) -> void
      def headers_dropped(count) = @row.dropped_headers += count

      # The application is about to be called.
      #: (Hash[String, untyped]) -> void
      def request_started(env)
        now = OS::Clock.now_ms
        @soft_timeout.env = env
        @row.request = request = "#{env['REQUEST_METHOD']} #{env['PATH_INFO']}"
        @row.started_ms = now
        @row.deadline_ms = now + @timeout_ms
        @membership.status = "#{@requests} requests, #{request}"
      end

      # The answer is written and its body closed, or the client is gone. The user's hook
      # is still within the deadline: one that hangs would take the worker out for ever.
      #: (Hash[String, untyped]) -> void
      def request_finished(env)
        @row.requests = (@requests += 1)
        @after_request&.call(@worker.inheritance.server, @worker, env)
        @row.deadline_ms = @row.started_ms = 0
        @soft_timeout.env = nil
        @membership.tell(Control::Messages::RequestLimitReached.new(requests: @requests)) if @requests == @limit
      end
    end
  end
end
