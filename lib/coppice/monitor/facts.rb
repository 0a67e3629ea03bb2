# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/monitor/exit_report"

module Coppice
  class Monitor
    # Takes in what children report and how they exit, and records it in the roster. A child is gone when it was reaped,
    # or when its channel ended before its pid was known: then it was never forked.
    class Facts
      CLAIM_TIME = 1.0 # seconds for which an exited child that is not on the roster is left for others to reap
      YOUNG = 1.0 # seconds since a worker became ready: one that fails without a request was never ready

      #: (system: System, roster: Roster, rows: RowPool, port: ServingPort, hooks: UserHooks,
      #   settings: Config::Settings, log: Log) -> void
      def initialize(system:, roster:, rows:, port:, hooks:, settings:, log:)
        @system = system
        @port = port
        @hooks = hooks
        @roster = roster
        @rows = rows
        @settings = settings
        @log = log
        @strangers = {} # pid => when it was first seen to have exited (monotonic seconds)
      end

      # Takes in all messages on one child's channel.
      #: (Handle) -> void
      def receive_from(handle)
        until handle.gone?
          case packet = handle.channel.receive
          when :empty then break
          when :closed then break channel_ended(handle)
          else record(handle, packet.message)
          end
        end
      rescue ProtocolMismatch => error
        @log.error("malformed message from a child", **handle.to_log, error: error.message)
        channel_ended(handle)
      end

      # Reaps the children that have exited since the last call.
      #: () -> void
      def reap
        exited = @system.exited_children(@roster.handles.filter_map(&:pid))
        handles = exited.filter_map { |pid| @roster.by_pid(pid) }
        handles.each { |handle| (exit = @system.reap(handle.pid)) && ended(handle, *exit) }
        reap_strangers(exited - handles.map(&:pid))
        forget_lost_children
      end

      private

      def record(handle, message)
        case message
        when Control::Messages::Forked then forked(handle, message.pid)
        when Control::Messages::Registered then registered(handle, message.pid)
        when Control::Messages::Ready then ready(handle)
        when Control::Messages::SignalReceived then signal_received(handle, message.name)
        when Control::Messages::RequestLimitReached then nil # its purpose was to wake us: the board has the count
        else raise ProtocolMismatch, "a child may not say #{message.class}"
        end
      end

      def forked(handle, pid)
        return kill_duplicate(handle, pid) unless [nil, pid].include?(handle.pid)

        handle.pid = pid
        handle.forked_at ||= @system.now
        return unless handle.requested?

        handle.move(:forked)
        handle.deadline = @system.now + time_to_get_ready(handle)
      end

      def time_to_get_ready(handle)
        return @settings.boot_timeout if handle.rehearsing?

        handle.mold? ? @settings.mold_timeout : @settings.spawn_timeout
      end

      # The middle process may have died before it reported the pid.
      def registered(handle, pid)
        forked(handle, pid)
        handle.move(:registered) if handle.state == :forked && handle.pid == pid
      end

      # A hook or a library forked again: a copy that reports in the name of another process.
      def kill_duplicate(handle, pid)
        @log.error("two processes for one slot: does a hook fork?", **handle.to_log, stray_pid: pid)
        @system.signal(pid, :KILL)
      end

      # A child that was told to exit meanwhile reads that now, and has time for it.
      def ready(handle)
        handle.deadline = handle.leave_deadline if handle.leaving? && handle.ended_for.nil?
        return unless handle.starting?

        handle.move(:ready)
        handle.deadline = nil
        handle.ready_at = @system.now
        @log.debug("ready", **handle.to_log)
        @roster.services.succeeded if handle.role == :service
        return unless handle.worker?

        @roster.spawns.succeeded
        @roster.killed_trials = 0
        @port.open unless handle.rehearsing? || @roster.stopping
      end

      # A program that a hook runs is the hook's to reap, and a worker may exit before its pid is known here.
      def reap_strangers(pids)
        now = @system.now
        @strangers = pids.to_h { |pid| [pid, @strangers.fetch(pid, now)] }
        @strangers.each { |pid, since| @system.reap(pid) if now - since >= CLAIM_TIME }
      end

      # Retirement decides what follows from it.
      def signal_received(handle, name)
        handle.stop_signal ||= name
        handle.signalled_at ||= @system.now
      end

      def channel_ended(handle)
        handle.channel.close
        return ended(handle, nil) unless handle.pid

        # It cannot be told anything any more. If it does not exit by itself, it is killed.
        handle.deadline ||= @system.now + @settings.hard_timeout
      end

      # Children that can never be reaped: not forked, because the process that was to fork them died meanwhile; or
      # reaped by somebody else.
      def forget_lost_children
        now = @system.now
        lost = @roster.handles.select do |handle|
          handle.vanished || (handle.orphaned? && handle.deadline && now >= handle.deadline)
        end
        lost.each { |handle| ended(handle, nil) }
      end

      def ended(handle, status, peak_kib = nil)
        handle.keep_requests_count
        note_failure(handle, status)
        log_exit(handle.exit_report = report_on(handle, status, peak_kib))
        # A child that was given up unseen may still start, and write: its row is not used again.
        @rows.release(handle.row) unless handle.orphaned? && !handle.channel.closed?
        handle.move(:gone)
        @roster.remove(handle)
        handle.channel.close
        @hooks.call(:after_worker_exit, handle, status) if handle.worker? && status
      end

      # Counts a child that exited before it was of any use; the server can do without a rehearsal. The pause before the
      # next one grows, so that a broken hook or a crash at start does not burn a core.
      def note_failure(handle, status)
        return if handle.mold? || handle.rehearsing? || (handle.leaving? && handle.ended_for.nil?)
        return if handle.ready_at && !died_young?(handle, status)
        return @roster.services.failed(@system.now) unless handle.worker?

        # Perhaps in its first request to itself, which may hang as long as a database is down: its generation serves
        # anyway.
        @roster.first_requests_from = [@roster.first_requests_from, handle.generation + 1].max
        return note_failed_trial(handle, status) if handle.generation > @roster.generation

        @roster.spawns.failed(@system.now)
      end

      # Its mold is abandoned, and the committed generation is not affected. But a trial that was never forked, or was
      # killed, may have been one process too many for the machine.
      def note_failed_trial(handle, status)
        @roster.killed_trials += 1 if status.nil? || killed?(handle, status)
      end

      def died_young?(handle, status)
        status && !status.success? && handle.requests_count.zero? && @system.now - handle.ready_at < YOUNG
      end

      # A KILL that the monitor did not send may be the kernel's, because memory ran out.
      def report_on(handle, status, peak_kib)
        out_of_memory = killed?(handle, status) && @system.out_of_memory?
        ExitReport.new(handle, status, now: @system.now, peak_kib: peak_kib, out_of_memory: out_of_memory)
      end

      def killed?(handle, status) = status&.termsig == Signal.list["KILL"] && handle.ended_for.nil?

      def log_exit(report)
        @log.public_send(report.level, "#{report.role} exited", **report.to_log)
      end
    end
  end
end
