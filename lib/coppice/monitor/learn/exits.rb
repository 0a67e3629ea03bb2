# frozen_string_literal: true

require "coppice/monitor/state/exit_report"

module Coppice
  class Monitor
    # What the exit of a child means: whether it failed to start, what is delayed for that, and who is told.
    class Exits
      EARLY_FAILURE = 1.0 # seconds: a worker that fails so soon after it was ready, without a request, failed to start
      MANY_FAILURES = 5 # workers in a row that fail to start, of which the log warns

      #: (Context, lobby: LobbyFacts) -> void
      def initialize(context, lobby:)
        @system = context.system
        @hooks = context.hooks
        @roster = context.roster
        @rows = context.rows
        @records = context.records
        @log = context.log
        @lobby = lobby
      end

      # A child is gone when it was reaped, or when its channel ended before its pid was known: then it was never
      # forked, and has no status.
      #: (Handle, Process::Status?, ?Integer?) -> void
      def note(handle, status, peak_kib = nil)
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

      private

      # Counts a child that failed to start. The pause before the next one grows, so that a broken hook or a crash at
      # the start does not use up a processor. A failed rehearsal does not count, because the server can serve without
      # it.
      def note_failure(handle, status)
        return if handle.rehearsing? || (handle.leaving? && handle.kill_reason.nil?)

        case handle.traits.pause
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
        warn_of_failing_starts if @roster.spawns.failures == MANY_FAILURES
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
        @records.exited(handle, report)
      end

      # There never was a mold, so nothing has exited and nothing has failed. The worker has logged why, if it found
      # that only when it was told to fork.
      def note_refusal(candidate)
        return unless candidate.equal?(@roster.candidate)

        candidate.parent.promotions -= 1
        @roster.succession.refuse
        @records.promotions.withdrawn(candidate)
        others = @roster.ready_workers.count { |worker| worker.row.fork_safe? }
        @log.info("promotion refused", **candidate.parent.to_log, new_gen: candidate.generation,
                  why: "the worker is not fork-safe", fork_safe_workers: others)
      end
    end
  end
end
