# frozen_string_literal: true

module Coppice
  class Monitor
    # How a child exited, and what it was doing. Made once, when the child is gone. It is written to the log, and the
    # user's after_worker_exit gets it as `worker.exit_report`.
    class ExitReport
      USERS_SIGNALS = %w[INT TERM QUIT HUP PIPE USR1 USR2].freeze

      attr_reader :role, :nr, :generation, :pid
      attr_reader :service #: String? -- the name of a service
      # One of Board::EXIT_CAUSES: the reason for which the monitor killed the child, if it did (handle.kill_reason);
      # else what its status tells. docs/log.md explains each.
      attr_reader :cause        #: Symbol
      attr_reader :status       #: Process::Status?
      attr_reader :requests     #: Integer -- served
      attr_reader :age          #: Float? -- seconds since the fork
      attr_reader :request      #: String? -- in flight: method and path
      attr_reader :request_id   #: String? -- of that request, if it has one: the client's or the server's
      attr_reader :request_age  #: Float? -- seconds
      attr_reader :answered_ago #: Float? -- seconds since its client had the response: only work after it was left
      # Where the main thread was when the worker noticed a deadline of its own, which a killed one cannot log any more:
      # one frame a line, cut to 768 bytes.
      attr_reader :stack #: String?
      # Largest resident size, in bytes, of the child or of a program that it ran, including shared pages.
      attr_reader :peak_memory #: Integer?

      # pid: of a child with several processes.
      #: (Handle, Process::Status?, now: Float, ?pid: Integer?, ?peak_kib: Integer?, ?out_of_memory: bool) -> void
      def initialize(handle, status, now:, pid: handle.pid, peak_kib: nil, out_of_memory: false)
        @role = handle.role
        @nr = handle.nr
        @service = handle.service&.name
        @generation = handle.generation
        @pid = pid
        @status = status
        @cause = cause_of(handle, out_of_memory)
        @failure = handle.failure&.error
        @requests = handle.requests_count
        @age = now - handle.forked_at if handle.forked_at
        @peak_memory = peak_kib * 1024 if peak_kib
        note_request(handle.row, now) if handle.worker?
        @lost_parent = handle.parent.name if cause == :never_forked && parent_lost?(handle)
        @stack = text(handle.row.stack) if cause == :request_timeout || cause == :stop_timeout
        note_errand(handle) if handle.traits.errand
        freeze
      end

      # Of an errand: whether it was begun. The child notes that itself, before the monitor has the message.
      #: () -> bool
      def begun? = @begun || false

      # The name of the signal that has killed it, or its number where Ruby has no name for it: the real-time signals.
      #: () -> (String | Integer)?
      def signal = (Signal.signame(status.termsig) || status.termsig if status&.signaled?)

      # The log level. A rollout is routine; an exit that nobody asked for is an error. After a timeout the worker
      # itself has logged the error, with the request. What was never forked because its parent is lost is no further
      # error: the exit of the parent has a line of its own.
      #: () -> Symbol
      def level
        return :info if @errand # who has run what is always of interest

        case cause
        when :asked, :shutdown then :debug
        when :exited_by_itself, :timeout then :info
        when :never_forked then @lost_parent ? :warn : :error
        else :error
        end
      end

      # For people, where the exit itself is the news: the signal, and who sent it if that is known, or the status and
      # the exception. What exits with status 0 has logged no error.
      #: () -> String
      def summary
        why = @failure || "the log says why"
        return why unless status
        return @failure || "a request timed out, as the log says" if cause == :timeout
        return "status #{status.exitstatus}#{", #{why}" unless status.success?}" unless status.signaled?

        "killed by SIG#{signal}#{" (#{cause})" unless cause == :signal}#{", after #{@failure}" if @failure}"
      end

      # The fields of its log line.
      #: () -> Hash[Symbol, untyped]
      def to_log
        {
          child: role, nr: nr, name: service, gen: generation, child_pid: pid, why: cause,
          reason: ("#{@lost_parent} exited before the fork" if @lost_parent), status: status&.exitstatus,
          signal: signal, requests: (requests if role == :worker), age: age&.round(1),
          run: @program, **@errand.to_h, request: request, request_id: request_id,
          request_age: request_age&.round(1), answered_ago: answered_ago&.round(1),
          peak_mib: (peak_memory / 1_048_576 if peak_memory), stack: stack
        }.compact
      end

      private

      def cause_of(handle, out_of_memory)
        return handle.kill_reason if handle.kill_reason
        return handle.pid ? :vanished : :never_forked unless status
        return :timeout if handle.row.timed_out == 1 && status.exited?
        return :asked if handle.leaving? && (exited_as_told? || stopped_as_ruby_started?(handle))
        return :asked if handle.traits.errand && ended_by_itself?
        return out_of_memory ? :out_of_memory : :signal if status.signaled?

        status.success? ? :exited_by_itself : :failed
      end

      # Its channel may have ended while nobody has reaped it yet.
      def parent_lost?(handle)
        parent = handle.parent
        !parent.nil? && (parent.gone? || parent.channel.closed?)
      end

      # The exit status of a program, and a signal that its user sends it, are nothing of the server's.
      def ended_by_itself? = status.exited? || USERS_SIGNALS.include?(signal)

      # A mold that still loads the application exits by the default action of TERM.
      def exited_as_told? = status.success? || status.termsig == Signal.list["TERM"]

      # Ruby exits with status 1, and without a word, when TERM comes while it loads what RUBYOPT names: `bundle exec`
      # names Bundler. A mold that cannot load the application reports why.
      def stopped_as_ruby_started?(handle)
        handle.cold? && !handle.row.ready? && handle.failure.nil? && status.exitstatus == 1
      end

      def note_errand(handle)
        @program = handle.row.request
        @begun = handle.row.ready?
        @errand = handle.errand.to_log
      end

      def text(bytes)
        bytes unless bytes.empty?
      end

      def note_request(row, now)
        started_ms = row.started_ms
        return if started_ms.zero?

        @request = row.request
        @request_id = text(row.request_id)
        @request_age = now - (started_ms / 1000.0)
        @answered_ago = now - (row.answered_ms / 1000.0) unless row.answered_ms.zero?
      end
    end
  end
end
