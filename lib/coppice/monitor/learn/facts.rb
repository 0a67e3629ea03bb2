# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/learn/audit_log"
require "coppice/monitor/state/exit_report"
require "coppice/monitor/learn/exit_watch"
require "coppice/monitor/lobby/lobby_facts"

module Coppice
  class Monitor
    # Receives what children report, reaps those that exit, and records both in the roster. A child is gone when it was
    # reaped, or when its channel ended before its pid was known: then it was never forked.
    class Facts
      EARLY_FAILURE = 1.0 # seconds: a worker that fails so soon after it was ready, without a request, failed to start
      MANY_FAILURES = 5 # workers in a row that fail to start, of which the log warns

      #: (Context) -> void
      def initialize(context)
        @system = context.system
        @port = context.port
        @hooks = context.hooks
        @keeper = context.keeper
        @roster = context.roster
        @rows = context.rows
        @statistics = context.statistics
        @log = context.log
        @board = context.board
        @audit_log = AuditLog.new(context.system, context.board, context.log)
        @lobby = LobbyFacts.new(context)
        @exits = ExitWatch.new(context)
      end

      # Receives all messages on one child's channel.
      #: (Handle) -> void
      def receive_from(handle)
        until handle.gone?
          case packet = handle.channel.receive
          when :empty then break
          when :closed then break channel_ended(handle)
          else handle.lobby? ? @lobby.record(handle, packet.message) : record(handle, packet.message)
          end
        end
      rescue ProtocolMismatch => error
        @log.error("malformed message from a child", **handle.to_log, error: error.message)
        channel_ended(handle)
      end

      # Reaps the children that have exited since the last call. signalled: whether CHLD has come.
      #: (signalled: bool) -> void
      def reap(signalled:)
        @exits.look(signalled: signalled) { |handle, pid| pid ? reap_one(handle, pid) : exited(handle, nil) }
        @lobby.forget_lost
      end

      # When to reap again whatever comes (monotonic seconds).
      #: () -> Float?
      def due_at = @exits.due_at

      private

      def reap_one(handle, pid) = handle.lobby? ? @lobby.reap(handle, pid) : reap_child(handle)

      # What it has said since the turn looked at its channel counts: a worker that was ready, and served, has not
      # failed to start.
      def reap_child(handle)
        exit = @system.reap(handle.pid, group: handle.leads_group?) { |cpu_us| note_cpu_time(handle, cpu_us) } or return
        receive_from(handle) unless handle.channel.closed?
        exited(handle, *exit)
      end

      # A reader never finds a process without its CPU time, neither in /proc nor on the board.
      def note_cpu_time(handle, cpu_us) = handle.row.cpu_us = [handle.row.cpu_us, cpu_us].max

      def record(handle, message)
        case message
        when Control::Messages::Forked then forked(handle, message.pid)
        when Control::Messages::Registered then registered(handle, message.pid)
        when Control::Messages::AuditFinished then audited(handle, message.findings)
        when Control::Messages::Ready then ready(handle)
        when Control::Messages::Failed then handle.failure ||= message
        when Control::Messages::SignalReceived then signal_received(handle, message.name)
        when Control::Messages::BecameUnsafe then became_unsafe(handle, message)
        when Control::Messages::PathsCounted then @keeper.add_paths(message.counts)
        when Control::Messages::RequestLimitReached then nil # it only wakes the monitor: the count is on the board
        else raise ProtocolMismatch, "a child may not send #{message.class}"
        end
      end

      def forked(handle, pid)
        return if handle.pid == pid
        return kill_duplicate(handle, pid) if handle.pid

        handle.pid = pid
        now = @system.now
        handle.deadline = now + time_to_get_ready(handle) if handle.requested?
        handle.note_fork(now)
      end

      def time_to_get_ready(handle)
        settings = @roster.settings_of(handle)
        return settings.boot_timeout if handle.warms_up?

        handle.mold? ? settings.mold_timeout : settings.spawn_timeout
      end

      # The process that has forked it may not have reported the pid yet, and may have died.
      def registered(handle, pid)
        forked(handle, pid)
        handle.move(:registered) if handle.state == :forked && handle.pid == pid
      end

      # A hook or a library has forked: a second process uses the channel of this child.
      def kill_duplicate(handle, pid)
        @log.error("duplicate process killed", **handle.to_log, stray_pid: pid)
        @system.kill(pid)
      end

      def audited(handle, findings)
        handle.audit_findings += findings.size
        @audit_log.note(handle, findings)
      end

      # A child that was told to exit while it started reads that message now: from now on it has time for it.
      def ready(handle)
        handle.deadline = handle.leave_deadline if handle.leaving? && handle.kill_reason.nil?
        return unless handle.starting?

        handle.move(:ready)
        handle.deadline = nil
        handle.ready_at = @system.now
        handle.row.ready = 1 if handle.observer? # which cannot write to the board
        @roster.headroom.boot_peak = @system.peak_kib(handle.pid) || @roster.headroom.boot_peak if handle.cold?
        @log.debug("ready", **handle.to_log)
        handle.errand&.ready(@roster.settings, @log)
        return unless handle.worker?

        @roster.spawns.succeeded
        @roster.filled? ? @roster.start_limit.lift : @roster.start_limit.worker_ready
        @roster.succession.worker_ready
        open_port unless handle.rehearsing? || @roster.stopping
      end

      def open_port
        @port.open
        @roster.listening = true
      end

      # Only notes the signal: Retirement decides what to do.
      def signal_received(handle, name)
        handle.stop_signal ||= name
        handle.signalled_at ||= @system.now
      end

      def channel_ended(handle)
        handle.close_channel
        return @lobby.channel_ended(handle) if handle.lobby?
        return exited(handle, nil) unless handle.pid
        return if handle.may_be_silent?

        # No message can reach it any more. If it does not exit by itself, the watchdog kills it.
        handle.deadline ||= @system.now + (another_program?(handle) ? 0 : @roster.settings_of(handle).hard_timeout)
      end

      # The application has called exec: what it becomes serves nobody.
      def another_program?(handle)
        (handle.worker? || handle.mold?) && !handle.cold? && @system.replaced?(handle.pid)
      end

      def exited(handle, status, peak_kib = nil)
        handle.keep_requests_count
        note_failure(handle, status)
        @roster.succession.lost(handle, @system.now) if handle.equal?(@roster.mold) # told to exit it is none any more
        note_exit(handle, handle.exit_report = report_on(handle, status, peak_kib))
        # If it is unknown whether the child was forked, it may still start and write to its row: nobody else gets it.
        may_start = handle.orphaned? && !handle.channel.closed?
        @roster.remove(handle)
        handle.move(:gone)
        @lobby.worker_exited(handle) if handle.seat
        handle.close
        @rows.release(handle.row) unless may_start
        @hooks.call(:after_worker_exit, handle, status) if handle.worker? && status
      end

      # Counts a child that failed to start. The pause before the next one grows, so that a broken hook or a crash at
      # the start does not use up a processor. A failed rehearsal does not count, because the server can serve without
      # it.
      def note_failure(handle, status)
        return if handle.rehearsing? || (handle.leaving? && handle.kill_reason.nil?)

        case handle.pause_after
        when :exit then @roster.backoff_of(handle).exited(handle.ready_at, @system.now)
        when :failed_start then note_failed_start(handle, status) if handle.ready_at.nil? || died_young?(handle, status)
        end
      end

      def note_failed_start(worker, status)
        succession = @roster.succession
        succession.omit_first_requests(worker.generation) if first_request_may_hang?(worker, status)
        return note_failed_trial(worker, status) if worker.generation > succession.generation
        return if worker.kill_reason == :lost_seat # the next one waits already

        succession.fork_failures.failed(worker, @roster.ready_workers)
        @roster.spawns.failed(@system.now)
        start_fewer(worker) if worker.kill_reason == :spawn_timeout
        warn_of_failing_starts if @roster.spawns.failures == MANY_FAILURES
      end

      # Those that are told to exit, or killed, have been starting as well.
      def start_fewer(worker)
        starting = @roster.workers.count { |other| other.ready_at.nil? && other.forked_at }
        return unless @roster.start_limit.too_slow(worker, starting, @system.now)

        @log.warn("fewer workers start at once", limit: @roster.start_limit.workers, why: :spawn_timeout)
      end

      # Once in a row: each failure has lines of its own, and by default the server tries forever.
      def warn_of_failing_starts
        @log.warn("workers fail to start", in_a_row: MANY_FAILURES,
          remedy: "mend what the errors above name, or raise spawn_timeout if they were too slow; after `before_fork " \
                  "failed` nothing is forked. max_consecutive_spawn_errors makes the server give up")
      end

      # What was never forked, or was killed by somebody else, did not hang. One of another release says nothing of the
      # others, whose generation may be lower: it is forked from a cold mold, and makes no first request.
      def first_request_may_hang?(worker, status)
        !worker.forked_at.nil? && !killed_without_fault?(worker, status) && @roster.of_release?(worker)
      end

      # The failure counts against the trial's mold, which is abandoned, and not against the committed generation. But
      # if the trial was never forked, or was killed, the machine may have no memory for one more process.
      def note_failed_trial(handle, status)
        @roster.succession.trial_killed if status.nil? || killed_without_fault?(handle, status)
      end

      def died_young?(handle, status)
        status && !status.success? && handle.requests_count.zero? && @system.now - handle.ready_at < EARLY_FAILURE
      end

      # The kernel may have sent a KILL that the monitor did not send, because memory ran out.
      def report_on(handle, status, peak_kib)
        out_of_memory = handle.kill_reason.nil? && killed?(status) && @system.out_of_memory?
        ExitReport.new(handle, status, now: @system.now, peak_kib: peak_kib, out_of_memory: out_of_memory)
      end

      # By somebody else, or by the monitor for its seat.
      def killed_without_fault?(handle, status)
        killed?(status) && [nil, :lost_seat].include?(handle.kill_reason)
      end

      def killed?(status) = status&.termsig == Signal.list["KILL"]

      def note_exit(handle, report)
        return note_refusal(handle) if handle.refused?

        @log.public_send(report.level, "#{report.role} exited", **report.to_log)
        @statistics.exited(handle, report)
      end

      def became_unsafe(handle, message)
        return unless @roster.of_release?(handle)

        heir, known = @roster.heir, @roster.heir.routes
        lost = heir.note(handle, message, @system.now)
        return if heir.routes == known && !lost

        @log.info("a request has made a worker unsafe to fork", **handle.to_log, **message.to_h)
        @board.unsafe_routes = heir.routes.map { |route| "#{route.template}\t#{route.why}" }.join("\n")
        return unless lost && heir.given_up?

        @log.warn("no worker is kept fit for reforks any more: those that were kept became unsafe one after the other",
          why: message.why)
      end

      # There never was a mold, so nothing has exited and nothing has failed. The worker has logged why, if it found
      # that only when it was told to fork.
      def note_refusal(candidate)
        return unless candidate.equal?(@roster.candidate)

        candidate.parent.promotions -= 1
        @roster.succession.refuse
        @statistics.promotion_withdrawn(candidate)
        others = @roster.ready_workers.count { |worker| worker.row.fork_safe? }
        @log.info("promotion refused", **candidate.parent.to_log, new_gen: candidate.generation,
                  why: "the worker is not fork-safe", fork_safe_workers: others)
      end
    end
  end
end
