# frozen_string_literal: true

module Coppice
  class Monitor
    # How a child exited, and what it was doing: made once, when the child is gone, from what is still known then. The
    # log has it, and the user's after_worker_exit as `worker.exit_report`.
    class ExitReport
      attr_reader :role, :nr, :generation, :pid
      # :asked, :left, :timeout, :failed, :signal, :out_of_memory, :vanished, :never_forked; or, when the monitor
      # ended it, why:
      # :request_timeout, :spawn_timeout, :stop_timeout, :unresponsive, :shutdown
      attr_reader :cause        #: Symbol
      attr_reader :status       #: Process::Status?
      attr_reader :requests     #: Integer -- served
      attr_reader :age          #: Float? -- seconds since the fork
      attr_reader :request      #: String? -- in flight: method and path
      attr_reader :request_age  #: Float? -- seconds
      # Bytes: the largest resident size of it, or of a program that it ran, with shared pages.
      attr_reader :peak_memory #: Integer?

      #: (Handle, Process::Status?, now: Float, ?peak_kib: Integer?, ?out_of_memory: bool) -> void
      def initialize(handle, status, now:, peak_kib: nil, out_of_memory: false)
        @role = handle.role
        @nr = handle.nr
        @generation = handle.generation
        @pid = handle.pid
        @status = status
        @cause = cause_of(handle, out_of_memory)
        @requests = handle.requests_count
        @age = now - handle.forked_at if handle.forked_at
        @peak_memory = peak_kib * 1024 if peak_kib
        note_request(handle.row, now) if handle.worker?
        freeze
      end

      # The log level. A rollout is routine; an exit that nobody asked for is an error. After a timeout the worker
      # itself has logged the error, with the request.
      #: () -> Symbol
      def level
        case cause
        when :asked, :shutdown then :debug
        when :left, :timeout then :info
        else :error
        end
      end

      # The fields of its log line.
      #: () -> Hash[Symbol, untyped]
      def to_log
        {
          child: role, nr: nr, gen: generation, child_pid: pid, why: cause, status: status&.exitstatus,
          signal: (Signal.signame(status.termsig) if status&.signaled?),
          requests: (requests if role == :worker), age: age&.round(1),
          request: request, request_age: request_age&.round(1), peak_mib: (peak_memory / 1_048_576 if peak_memory)
        }.compact
      end

      private

      def cause_of(handle, out_of_memory)
        return handle.ended_for if handle.ended_for
        return handle.pid ? :vanished : :never_forked unless status
        return :timeout if handle.row.timed_out == 1 && status.exited?
        return :asked if handle.leaving? && left_well?
        return out_of_memory ? :out_of_memory : :signal if status.signaled?

        status.success? ? :left : :failed
      end

      # A mold that still loads the application exits by the default action of TERM.
      def left_well? = status.success? || status.termsig == Signal.list["TERM"]

      def note_request(row, now)
        started_ms = row.started_ms
        return if started_ms.zero?

        @request = row.request
        @request_age = now - (started_ms / 1000.0)
      end
    end
  end
end
